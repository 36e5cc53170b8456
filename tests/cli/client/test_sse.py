"""Tests of reading server-sent events."""

from __future__ import annotations

from nobubble_cli.client.sse import ServerEvent, events


def test_events_are_read_as_the_standard_has_them() -> None:
    """Tests fields in any order, several lines of data, comments, and what is unknown."""
    text = (
        ": a comment\n\n"
        "event: progress\nid: 4\ndata: one\ndata:two\n\n"
        "data\n\n"
        "event: nothing\n\n"
        "retry: 5\nunknown: x\ndata:  indented\n\n"
    )
    assert list(events(text.splitlines())) == [
        ServerEvent("4", "progress", "one\ntwo"),
        ServerEvent("4", "message", ""),
        ServerEvent("4", "message", " indented"),
    ]


def test_an_event_that_has_not_come_whole_is_none() -> None:
    """Tests that a stream that breaks off in an event gives none of it."""
    assert list(events(["id: 1", "data: whole", "", "id: 2", "data: ha"])) == [
        ServerEvent("1", "message", "whole")
    ]
