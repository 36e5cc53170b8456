"""The version of this distribution, which is released together with nobubble."""

__version__ = "0.1.0"
