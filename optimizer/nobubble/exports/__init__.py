"""Schedules in the formats of training runtimes."""

from nobubble.exports.formats import FORMATS, Format, export

__all__ = ["FORMATS", "Format", "export"]
