"""Work for the tests of where solves run."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nobubble.profile.document import profile_document
from nobubble.profile.reading import parse_profile, read_profile
from nobubble.schedule.writing import json_text
from nobubble_api.examples import PROFILE
from nobubble_api.work import News, Solved, Work

ROOT = Path(__file__).parents[3]


def work_of(profile: dict[str, Any], **options: Any) -> Work:
    """Give the work of a profile."""
    return Work(profile=json_text(profile_document(parse_profile(profile))), **options)


def long_work(**options: Any) -> Work:
    """Give a search of a minute."""
    profile = read_profile(ROOT / "profiles/measured-p8.json", {"memory_limit": 4 * 1240})
    text = json_text(profile_document(profile))
    return Work(profile=text, method="search", effort="max", **options)


def large_work(**options: Any) -> Work:
    """Give a profile whose schedule, of 24,576 ops, takes a second to write up."""
    stages = [PROFILE["stages"]] * 32
    return work_of({**PROFILE, "ranks": 32, "microbatches": 256, "stages": stages}, **options)


def ignore(news: News) -> None:
    """Listen to nothing."""


def become_stubborn() -> None:
    """Make every later solve of this process go on for a minute, whatever it is asked to do."""
    from nobubble_api.execution import dask_worker, solving

    def stubborn(work: Work, report: Callable[[News], None], stop: Callable[[], bool]) -> Solved:
        report(News(text="goes on"))
        time.sleep(60)
        raise AssertionError("it was left alone")

    for module in (solving, dask_worker):
        vars(module)["solve_work"] = stubborn
