"""nobubble plans pipeline-parallel training of large models."""

from nobubble._version import __version__

__all__ = ["__version__"]
