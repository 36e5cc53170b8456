"""A rough guess of what a solve takes."""

from __future__ import annotations

from typing import Final

from nobubble.methods import is_named
from nobubble.solvers.task import BUDGETS
from nobubble_api.work import Work

# Measured on one core: all that is done once for every op (greedy, the document, the verifier), and
# the speed of the search. See `benchmarks/speed.py` and `benchmarks/convergence.py`.
_SECONDS_AN_OP: Final = 4e-5
_SEARCHED_A_SECOND: Final = 2e7
_SECONDS_A_DETERMINISTIC: Final = 3.0


def estimated_seconds(work: Work, ops: int) -> float:
    """Guess the seconds of a solve that nothing ends early, to a factor of some three.

    Parameters
    ----------
    work : Work
    ops : int
        F's, B's and W's.
    """
    budget = BUDGETS[work.effort]
    seconds = 0.05 + ops * _SECONDS_AN_OP
    searches = work.method in ("auto", "search") and (
        work.effort != "fast" or work.method == "search"
    )
    if searches:
        seconds += max(budget.search, BUDGETS["normal"].search) / _SEARCHED_A_SECOND
    if work.method in ("cpsat", "milp"):
        seconds += budget.exact * _SECONDS_A_DETERMINISTIC
    elif work.method == "auto" and ops <= budget.most_ops:
        seconds += budget.exact_in_auto * _SECONDS_A_DETERMINISTIC
    if is_named(work.method):
        seconds = 0.05 + ops * _SECONDS_AN_OP
    return round(min(seconds, work.time_limit or seconds), 3)
