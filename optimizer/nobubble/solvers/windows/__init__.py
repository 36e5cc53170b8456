"""Large-neighbourhood search: slices of time of a schedule, each made as good as can be."""

from nobubble.solvers.windows.improve import improve_windows

__all__ = ["improve_windows"]
