"""Alembic's entry: runs the scripts on the connection that ``database.upgrade`` holds."""

from alembic import context

from judge.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
