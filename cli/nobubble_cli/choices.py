"""Options that take one of a few words."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from nobubble.methods import METHODS, is_method


def one_of(word: str, allowed: Sequence[str], option: str) -> str:
    """Give the word, if it is allowed.

    Raises
    ------
    typer.BadParameter
        It is not; the message names the option and what it takes.
    """
    if word not in allowed:
        raise typer.BadParameter(
            f"{word!r} is none of {', '.join(allowed)}", param_hint=f"'{option}'"
        )
    return word


def a_method(word: str) -> str:
    """Give the word, if it is a method.

    Raises
    ------
    typer.BadParameter
    """
    return word if is_method(word) else one_of(word, METHODS, "--method")
