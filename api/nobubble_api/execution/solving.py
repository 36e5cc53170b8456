"""The solve itself, as every worker runs it."""

from __future__ import annotations

import pickle
import time
import traceback
from collections.abc import Callable
from decimal import Decimal
from typing import Final

from nobubble.errors import NobubbleError
from nobubble.profile.loading import read_json
from nobubble.profile.reading import parse_profile
from nobubble.progress import Draft, Progress
from nobubble.schedule.writing import json_text
from nobubble_api.work import News, Solved, Work

DRAFT_SHARE: Final = 0.1
"""Of the time of a run, what may go into documents of the best so far."""
_SECONDS_AN_OP: Final = 5e-5
"""What such a document takes, until one was made."""


def solve_work(work: Work, report: Callable[[News], None], stop: Callable[[], bool]) -> Solved:
    """Solve, and tell what happens meanwhile.

    Parameters
    ----------
    work : Work
    report : callable
        Takes news.
    stop : callable
        Says whether to end with the best so far.

    Raises
    ------
    NobubbleError
        See `nobubble.solve.solve`.
    """
    from nobubble.solve import solve

    begin = time.perf_counter()
    data = read_json(work.profile, "<profile>")
    assert isinstance(data, dict)
    profile = parse_profile(data)
    drafts = _Drafts(begin, 3 * len(profile.stages) * profile.microbatches)

    def tell(progress: Progress) -> None:
        if progress.draft is not None:
            drafts.latest = progress.draft
        document = drafts.document()
        # A draft that was put off comes with a later line.
        draft = progress.draft or (drafts.latest if document is not None else None)
        if draft is None:
            report(News(text=progress.text))
            return
        report(
            News(
                text=progress.text,
                method=draft.method,
                cost=Decimal(draft.cost),
                lower_bound=Decimal(draft.lower_bound),
                gap=draft.gap,
                document=document,
            )
        )

    document = solve(
        profile,
        method=work.method,
        effort=work.effort,
        seed=work.seed,
        time_limit=work.time_limit,
        ignore_memory_limit=work.ignore_memory_limit,
        progress=tell,
        stop=stop,
    )
    return Solved(
        document=json_text(document).encode(),
        method=document["method"],
        status=document["status"],
        stopped_by=document["stopped_by"],
        cost=Decimal(document["cost"]),
        lower_bound=Decimal(document["lower_bound"]),
        gap=float(document["gap"]),
        seconds=time.perf_counter() - begin,
    )


def portable(error: Exception) -> Exception:
    """Give an error in a form that passes between processes, with where it was raised.

    Parameters
    ----------
    error : Exception
        One that `solve_work` raised.

    Returns
    -------
    Exception
        The same, or a `RuntimeError` in place of one that can not be pickled.
    """
    if isinstance(error, NobubbleError):
        return error
    raised = "".join(traceback.format_exception(error))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(raised)
    error.add_note(f"In the worker:\n{raised}")
    return error


class _Drafts:
    """Makes documents of the best so far, as long as that takes a small share of the time.

    Attributes
    ----------
    latest : Draft or None
        What there is to make one of.
    """

    def __init__(self, begin: float, ops: int) -> None:
        self._begin = begin
        self._spent = 0.0
        self._one = _SECONDS_AN_OP * ops
        self._made: Draft | None = None
        self.latest: Draft | None = None

    def document(self) -> bytes | None:
        """Give the latest's document; None where it is made already, or would take too long now."""
        now = time.perf_counter()
        if self.latest is None or self.latest is self._made:
            return None
        if self._spent + self._one > DRAFT_SHARE * (now - self._begin):
            return None
        text = json_text(self.latest.document()).encode()
        self._made = self.latest
        self._one = time.perf_counter() - now
        self._spent += self._one
        return text
