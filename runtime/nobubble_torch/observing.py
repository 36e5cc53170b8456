"""Seeing every op and transfer of a runtime as it happens.

What is wrapped are the methods of the stage objects, as the runtime calls them: they begin when an
op's inputs are there, so that waiting for a receive is no part of an op.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from nobubble_torch.errors import MeasureError


class Observer(Protocol):
    """What is told of a step; `op` is F, B, W, BW or REDUCE_GRAD, which has no microbatch."""

    def step_begins(self) -> None:
        """Be told that the runtime's step is called."""

    def step_ends(self) -> None:
        """Be told that it returns."""

    def begins_again(self) -> None:
        """Be told that what was done since the step began is thrown away, and done again."""

    def op_begins(self, op: str, stage: int, microbatch: int | None) -> None:
        """Be told that an op begins, its inputs being there."""

    def op_ends(self, op: str, stage: int, microbatch: int | None) -> None:
        """Be told that an op has ended; F of the last stage with the loss."""

    def posted(self, op: str, stage: int, microbatch: int) -> None:
        """Be told that a send or receive is posted."""


_POSTS = {
    "get_fwd_send_ops": "SEND_F",
    "get_fwd_recv_ops": "RECV_F",
    "get_bwd_send_ops": "SEND_B",
    "get_bwd_recv_ops": "RECV_B",
}


@contextmanager
def observed(runtime: Any, observer: Observer) -> Iterator[None]:
    """Tell the observer of all steps of the runtime meanwhile; evaluation is passed over."""
    wrapped: list[tuple[Any, str]] = []

    def wrap(owner: Any, name: str, wrapper: Callable[..., Any]) -> None:
        if name in vars(owner):
            raise MeasureError("this runtime is being recorded or measured already")
        setattr(owner, name, wrapper)
        wrapped.append((owner, name))

    try:
        wrap(runtime, "step", _step(runtime, observer))
        if hasattr(runtime, "_forget_warm_up"):
            wrap(runtime, "_forget_warm_up", _forget(runtime, observer))
        losses = _Losses(runtime, observer)
        wrap(runtime, "_compute_loss", losses.compute)
        for stage in runtime._stages:
            wrap(stage, "forward_one_chunk", losses.forward(stage))
            wrap(stage, "backward_one_chunk", _backward(stage, observer))
            wrap(stage, "backward_weight_one_chunk", _weight(stage, observer))
            wrap(stage, "perform_reduce_grad", _reduce(stage, observer))
            for name, op in _POSTS.items():
                wrap(stage, name, _post(stage, getattr(stage, name), observer, op))
        yield
    finally:
        for owner, name in wrapped:
            delattr(owner, name)


def _step(runtime: Any, observer: Observer) -> Callable[..., Any]:
    inner = runtime.step

    def step(*args: Any, **kwargs: Any) -> Any:
        if not runtime._has_backward:
            return inner(*args, **kwargs)
        observer.step_begins()
        output = inner(*args, **kwargs)
        observer.step_ends()
        return output

    return step


def _forget(runtime: Any, observer: Observer) -> Callable[[], None]:
    inner = runtime._forget_warm_up

    def forget_warm_up() -> None:
        inner()
        observer.begins_again()

    return forget_warm_up


class _Losses:
    """F of the last stage, which ends with the loss: PyTorch computes it after the stage's call."""

    def __init__(self, runtime: Any, observer: Observer) -> None:
        self._observer = observer
        self._compute = runtime._compute_loss
        self._pending: tuple[int, int] | None = None

    def forward(self, stage: Any) -> Callable[..., Any]:
        inner = stage.forward_one_chunk

        def forward_one_chunk(microbatch: int, *args: Any, **kwargs: Any) -> Any:
            if not stage.has_backward:
                return inner(microbatch, *args, **kwargs)
            self._observer.op_begins("F", stage.stage_index, microbatch)
            output = inner(microbatch, *args, **kwargs)
            if stage.is_last:
                self._pending = stage.stage_index, microbatch
            else:
                self._observer.op_ends("F", stage.stage_index, microbatch)
            return output

        return forward_one_chunk

    def compute(self, *args: Any, **kwargs: Any) -> Any:
        loss = self._compute(*args, **kwargs)
        if self._pending is not None:
            self._observer.op_ends("F", *self._pending)
            self._pending = None
        return loss


def _backward(stage: Any, observer: Observer) -> Callable[..., Any]:
    inner = stage.backward_one_chunk

    def backward_one_chunk(
        microbatch: int, loss: Any = None, full_backward: bool = True, last_backward: bool = False
    ) -> Any:
        op = "BW" if full_backward else "B"
        if not stage.has_backward:
            return None
        observer.op_begins(op, stage.stage_index, microbatch)
        inner(microbatch, loss=loss, full_backward=full_backward, last_backward=last_backward)
        observer.op_ends(op, stage.stage_index, microbatch)
        return None

    return backward_one_chunk


def _weight(stage: Any, observer: Observer) -> Callable[..., Any]:
    inner = stage.backward_weight_one_chunk

    def backward_weight_one_chunk(microbatch: int, last_backward: bool = False) -> None:
        if stage.has_backward:
            observer.op_begins("W", stage.stage_index, microbatch)
            inner(microbatch, last_backward=last_backward)
            observer.op_ends("W", stage.stage_index, microbatch)

    return backward_weight_one_chunk


def _reduce(stage: Any, observer: Observer) -> Callable[..., Any]:
    inner = stage.perform_reduce_grad

    def perform_reduce_grad(*args: Any, **kwargs: Any) -> None:
        observer.op_begins("REDUCE_GRAD", stage.stage_index, None)
        inner(*args, **kwargs)
        observer.op_ends("REDUCE_GRAD", stage.stage_index, None)

    return perform_reduce_grad


def _post(
    stage: Any, inner: Callable[[int], Any], observer: Observer, op: str
) -> Callable[[int], Any]:
    def post(microbatch: int) -> Any:
        messages = inner(microbatch)
        if messages and stage.has_backward:
            observer.posted(op, stage.stage_index, microbatch)
        return messages

    return post
