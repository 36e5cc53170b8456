"""Run nobubble's schedules in PyTorch, measure profiles, and record what really happened."""

from nobubble_torch._version import __version__
from nobubble_torch.load import load

__all__ = ["__version__", "load"]
