"""What service processes do to a store, for tests that start several of them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import timedelta
from multiprocessing.synchronize import Barrier
from pathlib import Path

from nobubble_api.store.store import Store
from nobubble_api.work import content_hash
from tests.api.store.examples import new, news, solved

SILENT = timedelta(seconds=1)


def open_together(urls: Sequence[str], barrier: Barrier) -> None:
    """Open each database at the same moment as another process, and submit a job."""
    for url in urls:
        barrier.wait(30)
        store = Store.open(url)
        store.submit(new(), most_queued=10)
        store.close()


def run_all(url: str, owner: str, log: Path) -> None:
    """Run jobs until none is left; note the ids that ended in a file, a line for each run."""
    store = Store.open(url)
    with log.open("w", buffering=1) as ended:
        while True:
            store.beat(owner)
            store.take_back(SILENT, most_attempts=5)
            claimed = store.claim(owner, 20)
            for job in claimed:
                store.report(job.id, owner, news())
                document = content_hash(job.work.profile.encode()).encode()
                ids = store.finish(job.id, owner, solved(document), problem=None)
                if ids:
                    ended.write(" ".join(ids) + "\n")
            if not claimed:
                counts = store.counts()
                if counts["queued"] == counts["running"] == 0:
                    return
                time.sleep(0.02)
