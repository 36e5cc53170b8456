"""Schedules that others wrote, in the formats of training runtimes."""

from nobubble.imports.importing import Imported, import_schedule
from nobubble.imports.table import Table
from nobubble.imports.torch_csv import read_table, table_of_text

__all__ = ["Imported", "Table", "import_schedule", "read_table", "table_of_text"]
