"""Measuring what a profile is made of, while some real steps run."""

from nobubble_torch.measuring.measured import Measured
from nobubble_torch.measuring.profile import profile

__all__ = ["Measured", "profile"]
