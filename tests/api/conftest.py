"""What the tests of the service share."""

from tests.api.postgresql import postgresql_server, postgresql_url

__all__ = ["postgresql_server", "postgresql_url"]
