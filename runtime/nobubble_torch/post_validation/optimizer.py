"""The optimizer that steps first and is validated afterwards (arXiv 2401.10241, section 4)."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist

from nobubble_torch.errors import PostValidationError
from nobubble_torch.post_validation.exchange import Exchange
from nobubble_torch.post_validation.kept import Kept
from nobubble_torch.post_validation.loss_scale import LossScale
from nobubble_torch.post_validation.verdict import Rule, Share, Verdict


@dataclass(slots=True)
class Counts:
    """What has become of the steps that are validated.

    Attributes
    ----------
    steps, clipped, skipped : int
    redone : int
        Steps that this rank had taken wrongly, or put off.
    """

    steps: int = 0
    clipped: int = 0
    skipped: int = 0
    redone: int = 0


class PostValidation:
    """Lets every rank of a pipeline step as soon as its own gradients are there.

    Gradient clipping and loss scaling need the gradients of all ranks, and a step that waits for
    them costs the makespan. Here what is known travels from the first rank to the last; each rank
    steps on what it has, as if neither clipping nor skipping were due, unless it knows better. The
    whole travels back during the warm-up of the next iteration, before a gradient of it is
    computed. A rank whose step was wrong puts its parameters and state back and steps again, and
    the warm-up is run again on all ranks. The result is that of synchronous training, bit for bit.

    Every rank of the pipeline makes one, at the same point, and calls the same methods in the same
    order: `step` once after every step of the runtime.

    Parameters
    ----------
    optimizer : Optimizer
        Of this rank's parameters. A scheduler of learning rates is given this one.
    max_norm : float, optional
        Clip gradients so that their norm, over all ranks, is at most that.
    loss_scale : LossScale, optional
        Dynamic loss scaling; steps with an Inf or NaN are then skipped.
    skip_nonfinite : bool, optional
        Skip steps with an Inf or NaN in any gradient of any rank. By default with a loss scale.
    group : ProcessGroup, optional
        The ranks of the pipeline; by default all.
    shard_group : ProcessGroup, optional
        The ranks that hold shards of this rank's parameters (tensor parallelism): their squares
        are summed.

    Raises
    ------
    PostValidationError
        An argument makes no sense.
    """

    def __init__(
        self,
        optimizer: torch.optim.Optimizer,
        *,
        max_norm: float | None = None,
        loss_scale: LossScale | None = None,
        skip_nonfinite: bool | None = None,
        group: Any = None,
        shard_group: Any = None,
    ) -> None:
        if not isinstance(optimizer, torch.optim.Optimizer):
            raise PostValidationError(
                f"a {type(optimizer).__name__} is no optimizer; give a torch.optim.Optimizer"
            )
        # Of the class: a scheduler replaces the object's own.
        _, *others = inspect.signature(type(optimizer).step).parameters.values()
        if any(it.default is it.empty and it.kind is it.POSITIONAL_OR_KEYWORD for it in others):
            raise PostValidationError(
                f"{type(optimizer).__name__} computes gradients anew within its step (by a "
                "closure); give an optimizer that steps without"
            )
        if max_norm is not None and not (math.isfinite(max_norm) and max_norm > 0):
            raise PostValidationError(f"max_norm={max_norm}; give a number above 0, or None")
        if not dist.is_initialized():
            raise PostValidationError("the ranks have no process group yet: init_process_group")
        self.optimizer = optimizer
        self.loss_scale = loss_scale
        self.counts = Counts()
        self.last: Verdict | None = None
        skip = loss_scale is not None if skip_nonfinite is None else skip_nonfinite
        self._rule = Rule(max_norm, skip)
        self._shard_group = shard_group
        self._exchange = Exchange(group)
        self._kept = Kept(optimizer)
        self._known: list[Share] | None = None
        self._has_stepped = False
        self._zero: bool | None = None

    @property
    def is_pending(self) -> bool:
        """Whether a step is yet to be validated."""
        return self._known is not None

    def step(self) -> None:
        """Step on what is known: the shares of the ranks up to this one.

        Raises
        ------
        PostValidationError
            The step before is not validated yet: no step of the runtime came between.
        """
        if self.is_pending:
            raise PostValidationError(
                "the step before is not validated yet; run the runtime's step() in between, or "
                "flush() first"
            )
        share = self._share()
        if self._rule.is_void:
            self._apply(self._rule.verdict([share]))
            self.counts.steps += 1
            return
        self._known = self._exchange.forward(share)
        verdict = self._rule.verdict(self._known)
        self._kept.note_settings()
        if self._exchange.is_last:
            self._apply(verdict)
            self._kept.note_gradients()
            self._exchange.back(self._known)
            self._settle(verdict)
            return
        # Clipping is due, but by how much is not known; or it is to be skipped, come what may.
        self._has_stepped = verdict.is_plain
        if self._has_stepped:
            self._kept.keep()
            self.optimizer.step()
        else:
            # A scheduler of learning rates warns where no step was called before its own.
            self.optimizer._opt_called = True
        self._kept.note_gradients()

    def validate(self) -> bool:
        """Learn what all ranks' gradients say, and put the step right.

        Returns
        -------
        bool
            Whether any rank had stepped wrongly, or not at all: what has been computed since with
            its parameters is to be computed again.

        Raises
        ------
        PostValidationError
            Gradients were cleared or changed since the step.
        """
        if self._known is None:
            return False
        if not self._kept.has_gradients():
            raise PostValidationError(
                "gradients were cleared or changed after step(), before it was validated: it may "
                "have to be taken again with them; clear them by PostValidation.zero_grad(), which "
                "waits, or flush() before"
            )
        if self._exchange.is_last:
            shares = self._known
        else:
            shares = self._exchange.back(self._known)
            self._correct(self._rule.verdict(shares))
        self._known = None
        self._kept.forget_gradients()
        if self._zero is not None:
            self.optimizer.zero_grad(set_to_none=self._zero)
            self._zero = None
        return self._rule.went_wrong(shares)

    def flush(self) -> None:
        """Validate the last step now. All ranks call it, before parameters are read."""
        self.validate()
        self._exchange.finish()

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients, once the last step is validated: until then they are needed."""
        if self.is_pending:
            self._zero = set_to_none
        else:
            self.optimizer.zero_grad(set_to_none=set_to_none)

    def state_dict(self) -> dict[str, Any]:
        """Give the optimizer's state, and the loss scale. All ranks call it: it flushes."""
        self.flush()
        scale = None if self.loss_scale is None else self.loss_scale.state_dict()
        return {"optimizer": self.optimizer.state_dict(), "loss_scale": scale}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take up what `state_dict` gave. All ranks call it: it flushes."""
        self.flush()
        self.optimizer.load_state_dict(state["optimizer"])
        if self.loss_scale is not None and state["loss_scale"] is not None:
            self.loss_scale.load_state_dict(state["loss_scale"])

    @torch.no_grad()
    def _share(self) -> Share:
        """Unscale this rank's gradients, and sum their squares in the order of parameters."""
        gradients = self._gradients()
        if self.loss_scale is not None:
            for gradient in gradients:
                gradient.mul_(1.0 / self.loss_scale.scale)
        square = 0.0
        if gradients:
            double = any(gradient.dtype == torch.float64 for gradient in gradients)
            dtype = torch.float64 if double else torch.float32
            norms = [torch.linalg.vector_norm(gradient, dtype=dtype) for gradient in gradients]
            for norm in torch.stack(norms).tolist():
                square += norm * norm
        finite = math.isfinite(square)
        if self._shard_group is None:
            return Share(square, finite)
        device = gradients[0].device if gradients else torch.device("cpu")
        summed = torch.tensor([square, float(not finite)], dtype=torch.float64, device=device)
        dist.all_reduce(summed, group=self._shard_group)
        square, infinite = summed.tolist()
        return Share(square, infinite == 0)

    def _gradients(self) -> list[torch.Tensor]:
        found = []
        for group in self.optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                if parameter.grad.is_sparse:
                    raise PostValidationError(
                        "a gradient is sparse, and cannot be clipped or kept; use dense gradients"
                    )
                found.append(parameter.grad)
        return found

    @torch.no_grad()
    def _apply(self, verdict: Verdict) -> None:
        """Step as all ranks' gradients say."""
        if verdict.skip:
            return
        if verdict.factor != 1.0:
            for gradient in self._gradients():
                gradient.mul_(verdict.factor)
        self.optimizer.step()

    def _correct(self, verdict: Verdict) -> None:
        """Put a step right that was taken on what was known then."""
        if self._has_stepped and not verdict.is_plain:
            self._kept.put_back()
        if not verdict.is_plain and not (verdict.skip and not self._has_stepped):
            self.counts.redone += 1
        if not verdict.is_plain and not verdict.skip:
            now = self._kept.settings()
            self._kept.use_settings()
            self._apply(verdict)
            self._kept.use_settings(now)
        self._settle(verdict)

    def _settle(self, verdict: Verdict) -> None:
        self.last = verdict
        self.counts.steps += 1
        self.counts.skipped += verdict.skip
        self.counts.clipped += not verdict.skip and verdict.factor != 1.0
        if self.loss_scale is not None:
            self.loss_scale.update(verdict.skip)
