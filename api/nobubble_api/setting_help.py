"""What each setting is, for `nobubble serve --help` and the documentation; light to import."""

from __future__ import annotations

from typing import Final

HELP: Final = {
    "host": "Address to listen on. Another than loopback needs tokens, or --allow-anyone.",
    "port": "Port to listen on; 0 takes a free one and prints it.",
    "data_dir": "Folder of the SQLite database.",
    "database_url": "PostgreSQL instead: postgresql://user@host/database. Several services may "
    "share one.",
    "executor": "Where solves run: local, or the address of a Dask scheduler (tcp://host:8786).",
    "workers": "Solves at once; on Dask, only this many of its threads. Default: all CPUs.",
    "tokens_file": "File with a line 'solve TOKEN' or 'read TOKEN' for every client.",
    "tokens": "The same lines, separated by commas. Better set in the environment than given here.",
    "allow_anyone": "Serve other addresses than loopback without tokens.",
    "max_body": "Largest body of a request, in bytes.",
    "body_timeout": "Seconds in which a body has to arrive.",
    "max_ops": "Most ops (F, B and W of every stage and microbatch) in a profile.",
    "sync_limit": "Seconds after which POST /v1/solve answers with a job instead.",
    "max_time_limit": "Seconds after which any search ends with what it has.",
    "max_queued": "Most jobs that wait; more are refused with 429.",
    "max_streams": "Most event streams at once.",
    "keep_days": "Days that ended jobs and their schedules are kept.",
    "shutdown_grace": "Seconds that running solves have to end on SIGTERM, before they are queued "
    "again.",
    "log_level": "debug, info, warning or error.",
}
