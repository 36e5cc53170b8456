"""Tests of the Gantt in the terminal."""

from __future__ import annotations

import re

import pytest

from nobubble.pictures.terminal import gantt
from nobubble.schedule.document import ScheduleDocument
from tests.pictures.documents import linear_document, v_document
from tests.pictures.schedules import HOSTILE, SCHEDULES

ESCAPES = re.compile(r"\x1b\[[\d;]*m")
BLOCKS = re.compile("[▏▎▍▌▋▊▉]")


def rows_of(drawing: str, rank: int) -> str:
    """Give a rank's row, without its margin; the bands of a wrapped drawing as one."""
    lines = drawing.splitlines()
    margins = [
        line.index(mark)
        for line in lines
        if line.startswith("rank")
        for mark in line
        if mark in "┬─+-"
    ]
    margin = min(margins)
    return "".join(line[margin:] for line in lines if re.match(rf" *{rank} +\d+%", line))


@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize("detail", [False, True])
def test_no_line_is_wider_than_the_terminal(
    document: ScheduleDocument, detail: bool, colour: bool
) -> None:
    """Tests the width of every line, as it is seen, but for the one with the profile's name."""
    for width in (80, 120, 200):
        drawing = gantt(document, width=width, colour=colour, detail=detail)
        lines = ESCAPES.sub("", drawing).splitlines()
        assert max(map(len, lines[1:])) <= width


def test_every_rank_has_a_row(document: ScheduleDocument) -> None:
    """Tests that the overview has one row for every rank, or the same number in every band."""
    drawing = gantt(document, width=100, colour=True)
    rows = [
        line for line in ESCAPES.sub("", drawing).splitlines() if re.match(r" +\d+ +\d+%", line)
    ]
    assert len(rows) == document["profile"]["ranks"]


def test_without_colour_there_is_no_escape(document: ScheduleDocument) -> None:
    """Tests that nothing but text comes out, and no blocks that need colours to be understood."""
    drawing = gantt(document, width=100, colour=False)
    assert "\x1b" not in drawing
    assert not BLOCKS.search(drawing)


@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize("detail", [False, True])
def test_ascii_where_nothing_else_can_be_shown(
    document: ScheduleDocument, colour: bool, detail: bool
) -> None:
    """Tests that an old encoding gets nothing that it does not have."""
    assert gantt(document, width=90, colour=colour, detail=detail, ascii_only=True).isascii()


@pytest.mark.parametrize("rank", range(8))
def test_detail_shows_every_op(rank: int) -> None:
    """Tests that a row in letters can be read back: the ops in their order, with microbatches."""
    document = linear_document(8, 24)
    drawing = gantt(document, width=120, colour=False, detail=True)
    actions = [a for a in document["ranks"][rank]["actions"] if "start" in a]
    expected = [f"{a['op']}{a['microbatch']}" for a in actions]
    read = re.findall(r"[FBW]\d+", rows_of(drawing, rank))
    # An op that straddles two bands may be without its number.
    missing = [op for op in expected if op not in read]
    assert len(missing) < drawing.count("\nrank")
    assert read == [op for op in expected if op in read]


def test_overview_in_letters_shows_every_op() -> None:
    """Tests that 8 ranks and 24 microbatches keep every op, if in two or three bands."""
    document = linear_document(8, 24)
    row = rows_of(gantt(document, width=100, colour=False), 3)
    actions = [a["op"] for a in document["ranks"][3]["actions"] if "_" not in a["op"]]
    assert re.findall("[FBW]", row) == actions


def test_small_letters_are_the_second_stage() -> None:
    """Tests that on a V the ops of a rank's later stage are told apart."""
    drawing = gantt(v_document(4, 8), width=100, colour=False, detail=True)
    row = rows_of(drawing, 0)
    assert len(re.findall(r"F\d", row)) == len(re.findall(r"f\d", row)) == 8
    assert "small letters: second stage of a rank" in drawing


def test_colours_show_idle_as_the_terminal_s_ground() -> None:
    """Tests that a bubble has no colour of its own: first and last rank of a single microbatch."""
    drawing = gantt(SCHEDULES["one microbatch"](), width=100, colour=True)
    last = next(line for line in drawing.splitlines() if line.startswith("   3"))
    assert re.search(r" {20}", ESCAPES.sub("", last.split("\x1b")[0]))


def test_crowded_cells_say_what_prevails() -> None:
    """Tests that where ops are too many for letters, phases are still seen."""
    drawing = gantt(linear_document(32, 256), width=100, colour=False)
    row = rows_of(drawing, 31)
    assert re.fullmatch(r"\.+F*\+*W+\.*", row)
    assert "+ mixed" in drawing


def test_a_peak_over_the_limit_is_marked() -> None:
    """Tests that the rank's figures carry a mark, and the legend explains it."""
    drawing = gantt(SCHEDULES["rank span"](), width=100, colour=False)
    assert "498.1/314.6!" in drawing
    assert "! over the limit" in drawing


def test_a_name_cannot_command_the_terminal() -> None:
    """Tests that control characters in a profile's name are shown, not obeyed."""
    drawing = gantt(SCHEDULES["hostile name"](), width=100, colour=False)
    assert "\x1b" not in drawing
    assert HOSTILE.split("\x1b")[0] + r"\x1b[31m" in drawing
