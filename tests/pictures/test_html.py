"""Tests of the page's text; `test_page.py` opens it in a browser."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import numpy as np

from nobubble.pictures.html import html
from nobubble.pictures.layout import lay_out
from nobubble.schedule.document import ScheduleDocument
from tests.pictures.documents import linear_document
from tests.pictures.schedules import HOSTILE, SCHEDULES


def data_of(page: str) -> Any:
    """Give what the page's script draws."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert found
    return json.loads(found[1])


def test_it_asks_nothing_of_anyone(document: ScheduleDocument) -> None:
    """Tests that the page names no other resource, and forbids itself to fetch any."""
    page = html(document)
    assert "default-src 'none'" in page
    assert not re.search(r"""(src|href)=|url\(|https?:|@import|\bimport\b|fetch\(""", page)


def test_nothing_is_left_to_fill_in(document: ScheduleDocument) -> None:
    """Tests that every place of the template is filled, whatever is in the name."""
    assert set(re.findall(r"\{\{\w+\}\}", html(document))) <= {"{{data}}"} & set(
        re.findall(r"\{\{\w+\}\}", document["profile"].get("name") or "")
    )


def test_the_data_are_the_schedule(document: ScheduleDocument) -> None:
    """Tests that starts and ends follow exactly from what is embedded."""
    data = data_of(html(document))
    for row, drawn in zip(lay_out(document).rows, data["rows"], strict=True):
        stages = np.array(drawn["stages"])[np.array(drawn["letters"]) >> 2]
        kinds = np.array(drawn["letters"]) & 3
        times = np.array(data["stages"])[stages, kinds, 0]
        assert (stages == row.stage).all()
        assert (kinds == row.kind).all()
        assert drawn["microbatches"] == row.microbatch.tolist()
        assert (np.cumsum(times + np.array(drawn["waits"])) == row.end).all()


def test_a_name_is_only_text() -> None:
    """Tests that a profile's name can end no element and open none."""
    page = html(SCHEDULES["hostile name"]())
    assert page.count("<script") == page.count("</script>") == 2
    heading = re.search("<h1>(.*?)</h1>", page, re.S)
    assert heading
    assert unescape(heading[1]) == HOSTILE


def test_figures_can_be_read_without_script() -> None:
    """Tests that the figures and the ranks are in the page itself."""
    page = html(linear_document(4, 3))
    for text in ("<dd>143 ms</dd>", "<dd>0 %</dd>", "<td>375 MiB</td>", "<td>62.94 %</td>"):
        assert text in page


def test_a_large_schedule_is_of_sensible_size() -> None:
    """Tests that an op takes no more than a few bytes."""
    assert len(html(linear_document(32, 256))) < 12 * 24_576 + 50_000
