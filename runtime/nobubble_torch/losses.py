"""Whether the scaling of gradients is that of the loss."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from nobubble_torch.errors import LossError


def settled_scale(loss_fn: Callable[..., Any] | None, scale_grads: bool | None) -> bool:
    """Say whether gradients are divided by the number of microbatches.

    A loss that is the mean over its microbatch needs that, one that is a sum must not have it. The
    wrong choice makes every gradient m times too large or too small, without a word.

    Raises
    ------
    LossError
        They contradict each other, or nothing tells what the loss is.
    """
    if loss_fn is None:
        raise LossError(
            "loss_fn is None: PyTorch would run forward only and leave no gradients; every rank "
            "gives it, also those that do not have the last stage"
        )
    reduction = _reduction(loss_fn)
    if reduction == "none":
        raise LossError(
            'the loss has reduction="none"; a backward begins at one number: mean or sum'
        )
    needed = {"mean": True, "sum": False}.get(str(reduction))
    if needed is None and scale_grads is None:
        raise LossError(
            f"{_name(loss_fn)} does not tell whether it is a mean or a sum; say scale_grads=True "
            "for the mean over a microbatch (as F.cross_entropy gives it), False for a sum"
        )
    if needed is None:
        return bool(scale_grads)
    if scale_grads is not None and scale_grads != needed:
        raise LossError(
            f'scale_grads={scale_grads} does not go with a loss of reduction="{reduction}": '
            "gradients would be wrong by a factor of the number of microbatches; leave scale_grads "
            "out, or, where it is meant, wrap the loss in a function of your own"
        )
    return needed


def _reduction(loss_fn: Callable[..., Any]) -> object:
    if isinstance(loss_fn, functools.partial):
        return loss_fn.keywords.get("reduction", _reduction(loss_fn.func))
    return getattr(loss_fn, "reduction", None)


def _name(loss_fn: Callable[..., Any]) -> str:
    return getattr(loss_fn, "__name__", type(loss_fn).__name__)
