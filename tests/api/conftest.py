"""What the tests of the service share."""

from tests.api.postgresql import new_postgresql_url, postgresql_server, postgresql_url

__all__ = ["new_postgresql_url", "postgresql_server", "postgresql_url"]
