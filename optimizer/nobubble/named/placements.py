"""Which placement a named schedule is made for."""

from __future__ import annotations

import numpy as np

from nobubble.errors import MethodError
from nobubble.problem import Problem


def is_linear(problem: Problem) -> bool:
    """Say whether stage s is on rank s, one stage a rank."""
    return np.array_equal(problem.rank_of, np.arange(problem.ranks))


def require_linear(problem: Problem, schedule: str) -> None:
    """Refuse any placement but the linear one.

    Raises
    ------
    MethodError
    """
    if not is_linear(problem):
        raise MethodError(
            f"{schedule} is made for linear placement (stage s on rank s); this profile has "
            f"{problem.stages} stages on {problem.ranks} ranks, placed {_placement(problem)}. "
            f"Take --method auto, or a profile with one stage a rank."
        )


def require_interleaved(problem: Problem, schedule: str) -> None:
    """Refuse any placement but s mod p with more than one stage on some rank.

    Raises
    ------
    MethodError
    """
    interleaved = np.array_equal(problem.rank_of, np.arange(problem.stages) % problem.ranks)
    if not interleaved or problem.stages == problem.ranks:
        raise MethodError(
            f"{schedule} is made for interleaved placement (stage s on rank s mod p) with more "
            f"stages than ranks; this profile has {problem.stages} stages on {problem.ranks} "
            f"ranks, placed {_placement(problem)}. Take --method auto"
            + (", or 1f1b for one stage a rank." if interleaved else ".")
        )


def require_v(problem: Problem, schedule: str) -> None:
    """Refuse any placement but V: stages s and 2p - 1 - s on rank s.

    Raises
    ------
    MethodError
    """
    down = np.arange(problem.ranks)
    if not np.array_equal(problem.rank_of, np.concatenate([down, down[::-1]])):
        raise MethodError(
            f"{schedule} is made for V placement (stages s and 2p - 1 - s on rank s); this profile "
            f"has {problem.stages} stages on {problem.ranks} ranks, placed {_placement(problem)}. "
            'Take --method auto, or two stages a rank with "placement": "v".'
        )


def _placement(problem: Problem) -> str:
    """Give the placement as a list, shortened in the middle."""
    ranks = [str(rank) for rank in problem.rank_of]
    if len(ranks) > 16:
        ranks = [*ranks[:8], "...", *ranks[-4:]]
    return "[" + ", ".join(ranks) + "]"
