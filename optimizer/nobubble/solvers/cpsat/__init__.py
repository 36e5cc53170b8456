"""CP-SAT: the problem as interval variables that must not overlap, by OR-Tools."""

from nobubble.solvers.cpsat.solving import cpsat

__all__ = ["cpsat"]
