"""Run nobubble's schedules in PyTorch, measure profiles, and record what really happened."""

from nobubble_torch._version import __version__
from nobubble_torch.load import load
from nobubble_torch.recording import Recording, record

__all__ = ["Recording", "__version__", "load", "record"]
