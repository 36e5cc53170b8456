"""MILP: the Zero Bubble paper's formulation, extended, by PuLP on HiGHS."""

from nobubble.solvers.milp.solving import milp

__all__ = ["milp"]
