"""The formats there are, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from nobubble.errors import InputError
from nobubble.exports.torch_csv import torch_csv, torch_csv_comms
from nobubble.schedule.document import ScheduleDocument


@dataclass(frozen=True, slots=True)
class Format:
    """A format.

    Attributes
    ----------
    suffix : str
        Of a file in it.
    media_type : str
    write : callable
        Takes a verified schedule and gives the text.
    """

    suffix: str
    media_type: str
    write: Callable[[ScheduleDocument], str]


FORMATS: Final = {
    "torch-csv": Format(".csv", "text/csv", torch_csv),
    "torch-csv-comms": Format(".comms.csv", "text/csv", torch_csv_comms),
}


def export(document: ScheduleDocument, name: str) -> str:
    """Write a verified schedule in a format.

    Raises
    ------
    InputError
        There is no such format.
    """
    if name not in FORMATS:
        raise InputError(f"there is no format {name!r}; take one of {', '.join(FORMATS)}")
    return FORMATS[name].write(document)
