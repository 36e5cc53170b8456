"""Dynamic loss scaling, as `torch.amp.GradScaler` does it, known to all ranks alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class LossScale:
    """The factor by which gradients are too large while backward runs.

    Losses stay as they are: the factor comes in where their gradient begins.

    Parameters
    ----------
    scale : float
        To begin with.
    growth_factor, backoff_factor : float
        What it is multiplied by after `growth_interval` steps in a row without Inf or NaN, and
        after a step with one.
    growth_interval : int
    """

    def __init__(
        self,
        scale: float = 65536.0,
        *,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
    ) -> None:
        if not (scale > 0 and growth_factor > 1 and 0 < backoff_factor < 1 and growth_interval > 0):
            raise ValueError(
                "a loss scale is above 0, grows by a factor above 1 and backs off by one between "
                "0 and 1, after 1 step or more"
            )
        self.scale = float(scale)
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._good_steps = 0

    def scaled(self, loss_fn: Callable[..., Any]) -> Callable[..., Any]:
        """Give the loss function with the same values, whose gradients are scaled."""

        def scaled_loss(*args: Any, **kwargs: Any) -> Any:
            loss = loss_fn(*args, **kwargs)
            # Not a function of autograd's: PyTorch could not split the backward there.
            if loss.requires_grad:
                loss.register_hook(lambda gradient: gradient * self.scale)
            return loss

        return scaled_loss

    def update(self, skipped: bool) -> None:
        """Take note of a step: whether it was skipped for an Inf or NaN."""
        if skipped:
            self.scale *= self._backoff_factor
            self._good_steps = 0
            return
        self._good_steps += 1
        if self._good_steps == self._growth_interval:
            self.scale *= self._growth_factor
            self._good_steps = 0

    def state_dict(self) -> dict[str, float]:
        """Give what a checkpoint needs."""
        return {"scale": self.scale, "good_steps": self._good_steps}

    def load_state_dict(self, state: dict[str, float]) -> None:
        """Take up what `state_dict` gave."""
        self.scale = float(state["scale"])
        self._good_steps = int(state["good_steps"])
