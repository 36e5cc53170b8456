"""What a step is to do, from the squares of all ranks' gradients; and what a rank knows of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Share(NamedTuple):
    """What one rank's gradients add.

    Attributes
    ----------
    square : float
        The sum of their squares, unscaled.
    is_finite : bool
        Whether none is Inf or NaN.
    """

    square: float
    is_finite: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a step is to do.

    Attributes
    ----------
    norm : float
        The norm of all gradients, Inf or NaN where one is.
    skip : bool
        Leave parameters and state as they are.
    factor : float
        What gradients are multiplied by before.
    """

    norm: float
    skip: bool
    factor: float

    @property
    def is_plain(self) -> bool:
        """Whether it is to step with the gradients as they are."""
        return not self.skip and self.factor == 1.0


@dataclass(frozen=True, slots=True)
class Rule:
    """How a verdict follows from the gradients.

    Attributes
    ----------
    max_norm : float or None
        Gradients are clipped to it, as `torch.nn.utils.clip_grad_norm_` does.
    skip_nonfinite : bool
        Whether a step with an Inf or NaN is skipped.
    """

    max_norm: float | None
    skip_nonfinite: bool

    @property
    def is_void(self) -> bool:
        """Whether every verdict is plain, whatever the gradients."""
        return self.max_norm is None and not self.skip_nonfinite

    def verdict(self, shares: Sequence[Share]) -> Verdict:
        """Judge by the shares of some ranks, from the first on.

        They are summed in the order of ranks, always: so the result is the same bit for bit.
        """
        square = 0.0
        for share in shares:
            square += share.square
        norm = math.sqrt(square) if square >= 0 else math.nan
        finite = all(share.is_finite for share in shares)
        factor = 1.0
        if self.max_norm is not None:
            ratio = self.max_norm / (norm + 1e-6)
            factor = 1.0 if ratio >= 1.0 else ratio
        return Verdict(norm, self.skip_nonfinite and not finite, factor)

    def went_wrong(self, shares: Sequence[Share]) -> bool:
        """Say whether any rank that knew only the shares up to its own did not do what is right.

        What a rank knows only grows: Inf or NaN stay, and the norm never falls. So where all is
        plain, nobody was wrong; and else all were but those who skipped, as they had to.
        """
        if self.verdict(shares).is_plain:
            return False
        return not all(self.verdict(shares[:known]).skip for known in range(1, len(shares)))
