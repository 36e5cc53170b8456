"""Tests that errors pass between processes whole."""

from __future__ import annotations

import pickle

import pytest

from nobubble.errors import (
    Fault,
    InfeasibleError,
    MethodError,
    NobubbleError,
    NoScheduleError,
    ProfileError,
    TableError,
    VerificationError,
)


@pytest.mark.parametrize(
    "error",
    [
        ProfileError("file", [Fault("/ranks", "is 0"), Fault("", "is bad")]),
        InfeasibleError("rank 3 binds", rank=3, limit=1, needed=2),
        VerificationError(["one", "two"]),
        TableError("x.csv", [Fault("row 1, column 2", "is blank")]),
        MethodError("no"),
        NoScheduleError("none"),
    ],
)
def test_an_error_arrives_as_it_left(error: NobubbleError) -> None:
    """Tests type, text and everything else that it knows."""
    arrived = pickle.loads(pickle.dumps(error))
    assert type(arrived) is type(error)
    assert str(arrived) == str(error)
    assert arrived.__dict__ == error.__dict__
