"""Alembic's migrations, one file a revision in `versions`.

A change of `tables.py` needs a new file there, written by hand, that works on SQLite and on
PostgreSQL; a test fails while the two differ. Migrations run when the store opens, in a single
transaction, on SQLite with foreign keys off.
"""
