"""Work, news and answers that look like real ones; the store looks into none of them."""

from __future__ import annotations

from decimal import Decimal

from nobubble_api.store.model import NewJob
from nobubble_api.work import News, Solved, Work

PROBLEM: dict[str, object] = {"type": "about:blank", "title": "Infeasible", "status": 422}


def work(number: int = 1, *, time_limit: float | None = None) -> Work:
    """Give work that differs by number."""
    return Work(profile=f'{{"name": "example {number}"}}\n', time_limit=time_limit)


def new(number: int = 1, *, key: str | None = None, tags: tuple[str, ...] = ()) -> NewJob:
    """Give a submission of that work."""
    return NewJob(work=work(number), idempotency_key=key, tags=tags)


def timed(number: int = 1, time_limit: float = 5.0) -> NewJob:
    """Give a submission of that work under a time limit."""
    return NewJob(work=work(number, time_limit=time_limit))


def solved(document: bytes = b"a schedule\n", *, stopped_by: str = "proof") -> Solved:
    """Give a finished run."""
    return Solved(
        document=document,
        method="search",
        status="optimal",
        stopped_by=stopped_by,
        cost=Decimal("2109.851000001"),
        lower_bound=Decimal("2109.850"),
        gap=0.25,
        seconds=1.5,
    )


def news(document: bytes | None = None, *, cost: str = "3000.5") -> News:
    """Give what a run tells."""
    return News(
        text=f"search: {cost}",
        method="search",
        cost=Decimal(cost),
        lower_bound=Decimal("2000"),
        gap=0.125,
        document=document,
    )
