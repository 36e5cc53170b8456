"""What Alembic runs: the migrations, on the connection and in the transaction it was given."""

from alembic import context

from nobubble_api.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
)
context.run_migrations()
