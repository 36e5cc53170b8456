"""Run nobubble's schedules in PyTorch, measure profiles, and record what really happened."""

from nobubble_torch._version import __version__
from nobubble_torch.load import load
from nobubble_torch.measuring import Measured, profile
from nobubble_torch.post_validation import LossScale, PostValidation
from nobubble_torch.recording import Recording, record

__all__ = [
    "LossScale",
    "Measured",
    "PostValidation",
    "Recording",
    "__version__",
    "load",
    "profile",
    "record",
]
