"""Tests of the schedules that are drawn here."""

from __future__ import annotations

from nobubble.schedule.document import ScheduleDocument
from nobubble.verifier.verify import verify


def test_what_is_drawn_is_sound(document: ScheduleDocument) -> None:
    """Tests that the verifier finds nothing but what is meant: a peak, and a name of controls."""
    meant = ("limit", "control characters")
    assert [one for one in verify(document) if not any(words in one for words in meant)] == []
