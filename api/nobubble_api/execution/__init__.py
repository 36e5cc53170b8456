"""Where solves run: worker processes on this machine, or a Dask cluster."""
