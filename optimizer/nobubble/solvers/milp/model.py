"""A linear model with its columns and rows in a fixed order, held by PuLP."""

from __future__ import annotations

from collections.abc import Iterable

import pulp

Term = tuple[float, pulp.LpVariable]
"""A coefficient and its variable."""


class Model:
    """A minimisation over variables whose names sort in the order in which they are made.

    PuLP 3 gives them to the solver sorted by name, PuLP 4 as they were made: like this both give
    the same model, and the solver does the same.

    Attributes
    ----------
    lp : LpProblem
    columns : list of variable
        All, in the order in which they were made.
    """

    def __init__(self) -> None:
        self.lp = pulp.LpProblem("nobubble", pulp.LpMinimize)
        self.columns: list[pulp.LpVariable] = []

    def variable(self, low: float, high: float) -> pulp.LpVariable:
        """Make a variable between two values."""
        return self._make(low, high, "Continuous")

    def binary(self) -> pulp.LpVariable:
        """Make a variable that is 0 or 1."""
        return self._make(0, 1, "Binary")

    def at_least(self, terms: Iterable[Term], right: float) -> None:
        """Add a row: the sum of the terms, 0 for none, is at least `right`."""
        row = [factor * variable for factor, variable in terms]
        if row:
            self.lp += pulp.lpSum(row) >= right
        elif right > 0:
            self.lp += pulp.lpSum([self.columns[0]]) <= self.columns[0].lowBound - 1

    def minimise(self, variable: pulp.LpVariable) -> None:
        """Set the objective."""
        self.lp += pulp.lpSum([variable])

    def used_columns(self) -> list[pulp.LpVariable]:
        """Give the variables that the solver has, in its order: PuLP 3 leaves out unused ones."""
        used = getattr(self.lp, "exported_variables", self.lp.variables)()
        return list(used)

    def has_choices(self) -> bool:
        """Say whether the solver has any variable that must be whole."""
        return any(variable.cat != pulp.LpContinuous for variable in self.used_columns())

    def _make(self, low: float, high: float, category: str) -> pulp.LpVariable:
        name = f"v{len(self.columns):07d}"
        variable = self.lp.add_variable(name, lowBound=low, upBound=high, cat=category)
        self.columns.append(variable)
        return variable
