"""From the address in the settings to the place where solves run."""

from __future__ import annotations

from nobubble.errors import InputError
from nobubble_api.execution.backend import Backend


def open_backend(address: str, *, workers: int | None, grace: float = 5.0) -> Backend:
    """Start workers on this machine, or connect to a Dask scheduler.

    Parameters
    ----------
    address : str
        ``local``, or ``tcp://host:port`` or ``tls://host:port`` of a scheduler.
    workers : int or None
        Solves at once; None takes all that there is.
    grace : float
        Seconds that a solve has to stop when it is asked to.

    Raises
    ------
    InputError
        The address is neither, Dask is not installed, or the scheduler does not answer.
    VersionError
        Another version of nobubble is on the cluster.
    """
    if address == "local":
        from nobubble_api.execution.cpus import available_cpus
        from nobubble_api.execution.local import LocalBackend

        return LocalBackend(workers or available_cpus(), grace)
    if address.startswith(("tcp://", "tls://")):
        from nobubble_api.execution.dask_cluster import DaskBackend

        return DaskBackend(address, workers, grace)
    raise InputError(
        f"NOBUBBLE_EXECUTOR: {address!r} is no place where solves run; give local, or the address "
        "of a Dask scheduler such as tcp://scheduler:8786"
    )
