"""The version of nobubble."""

__version__ = "0.1.0"
