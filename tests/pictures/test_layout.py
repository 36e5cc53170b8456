"""Tests of the layout that all pictures draw."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nobubble.pictures.layout import lay_out
from nobubble.pictures.shares import shares_of
from nobubble.schedule.document import ScheduleDocument
from nobubble.units import MEMORY_UNITS, TIME_UNITS, in_unit
from tests.pictures.documents import MIB, MS, linear_document, v_document


def test_rows_agree_with_the_figures(document: ScheduleDocument) -> None:
    """Tests that busy time, peak memory and limit of every rank are those of the document."""
    time = TIME_UNITS[document["profile"]["time_unit"]]
    memory = MEMORY_UNITS[document["profile"]["memory_unit"]]
    rows = lay_out(document).rows
    for row, claimed in zip(rows, document["metrics"]["ranks"], strict=True):
        assert row.rank == claimed["rank"]
        assert in_unit(row.busy, time) == claimed["busy"]
        assert in_unit(int(row.end.max()), time) == claimed["end"]
        assert in_unit(row.peak_memory, memory) == claimed["peak_memory"]
        limit = row.memory_limit
        assert (None if limit is None else in_unit(limit, memory)) == claimed["memory_limit"]


def test_all_is_given_back_at_the_end(document: ScheduleDocument) -> None:
    """Tests that every rank ends with its static memory."""
    for row in lay_out(document).rows:
        assert row.after[-1] == row.static_memory


def test_memory_of_one_microbatch() -> None:
    """Tests memory by hand: F takes 100 and 25 to work with, B gives 50 back, W the rest."""
    row = lay_out(linear_document(1, 1)).rows[0]
    assert (row.during // MIB).tolist() == [50 + 125, 50 + 100, 50 + 50]
    assert (row.after // MIB).tolist() == [50 + 100, 50 + 50, 50]


def test_chunks_are_the_rank_s_stages_in_order() -> None:
    """Tests that on a V the later stage of every rank is its second chunk."""
    layout = lay_out(v_document(4, 8))
    assert layout.chunks == 2
    assert layout.rows[1].stages == (1, 6)
    assert set(layout.rows[1].chunk[layout.rows[1].stage == 6].tolist()) == {1}


def test_no_latency_inside_a_rank() -> None:
    """Tests that the turn of a V, where both stages are on one rank, takes no time."""
    assert lay_out(v_document(2, 2)).forward_latency == (MS, 0, MS)


@given(slices=st.integers(1, 400))
def test_shares_lose_no_time(slices: int) -> None:
    """Tests that the slices of the iteration hold each kind's whole time, however they are cut."""
    layout = lay_out(_SCHEDULE)
    edges = np.linspace(0, layout.end, slices + 1)
    for row in layout.rows:
        shares = shares_of(row, edges)
        assert (shares >= -1e-9).all()
        assert (shares.sum(axis=1) <= 1 + 1e-9).all()
        for kind in range(4):
            time = (row.end - row.start)[row.kind == kind].sum()
            assert np.isclose(shares[:, kind].sum() * layout.end / slices, time)


_SCHEDULE = v_document(3, 5)
