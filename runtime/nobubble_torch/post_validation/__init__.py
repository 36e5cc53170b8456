"""Every rank steps as soon as its own gradients are there, and is put right later if need be."""

from nobubble_torch.post_validation.loss_scale import LossScale
from nobubble_torch.post_validation.optimizer import PostValidation

__all__ = ["LossScale", "PostValidation"]
