"""The schedules that the tests of the pictures draw."""

from __future__ import annotations

import pytest

from nobubble.schedule.document import ScheduleDocument
from tests.pictures.schedules import SCHEDULES


@pytest.fixture(scope="session", params=SCHEDULES)
def document(request: pytest.FixtureRequest) -> ScheduleDocument:
    """Give every schedule in turn."""
    return SCHEDULES[request.param]()
