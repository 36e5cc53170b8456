"""How much of a slice of time each kind of op fills."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nobubble.pictures.layout import Row
from nobubble.problem import KINDS


def shares_of(row: Row, edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the share of every kind of op in slices of time.

    Parameters
    ----------
    row : Row
    edges : ndarray of float64, shape (k + 1,)
        Where the slices begin and end, ascending, in ns.

    Returns
    -------
    ndarray of float64, shape (k, 4)
        Between 0 and 1; what is missing to 1 is idle.
    """
    shares = np.zeros((len(edges) - 1, len(KINDS)))
    widths = np.maximum(np.diff(edges), 1e-9)
    for kind in range(len(KINDS)):
        chosen = (row.kind == kind) & (row.end > row.start)
        if not chosen.any():
            continue
        start, end = row.start[chosen], row.end[chosen]
        done = np.cumsum(end - start)
        corners = np.stack([start, end], axis=1).ravel()
        amounts = np.stack([done - (end - start), done], axis=1).ravel()
        shares[:, kind] = np.diff(np.interp(edges, corners, amounts)) / widths
    return shares
