"""Sends a running service profiles with something wrong in them: each gets a schedule or a problem.

``python -m benchmarks.mutated_profiles http://127.0.0.1:8000 --count 10000``
"""

from __future__ import annotations

import argparse
import copy
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

import httpx

BASE: Final[dict[str, Any]] = {
    "schema": "nobubble.profile/1",
    "name": "base",
    "time_unit": "ms",
    "memory_unit": "MiB",
    "ranks": 3,
    "microbatches": 4,
    "placement": "linear",
    "stages": [
        {
            "F": {"time": 3, "memory": 4, "workspace": 1},
            "B": {"time": 3.5, "memory": -1},
            "W": {"time": 2, "memory": -3},
            "BW": {"time": 5},
            "backward": "auto",
        }
        for _ in range(3)
    ],
    "communication": {"F": [1, 1], "B": 0.5},
    "memory_limit": [20, 20, 16],
    "static_memory": 1,
    "objective": "rank_span",
}
VALUES: Final[tuple[Any, ...]] = (
    None, True, -1, 0, 0.5, 1e308, 10**30, "", "x", "ms", "v", [], {}, [1], "\ud800", "a\0b",
    float("nan"), float("inf"), [None] * 3, {"time": 1}, 2, 7,
)  # fmt: skip


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Give every container of a document with every key or index in it."""
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from places(value[key])


def mutated(random_: random.Random) -> str:
    """Give the body of a solve whose profile was changed in one to three places."""
    profile = copy.deepcopy(BASE)
    for _ in range(random_.randint(1, 3)):
        container, key = random_.choice(list(places(profile)))
        kind = random_.randrange(4)
        if kind == 0:
            del container[key]
        elif kind == 1 and isinstance(container, dict):
            container[random_.choice(["extra", "Ranks", "times"])] = random_.choice(VALUES)
        else:
            container[key] = copy.deepcopy(random_.choice(VALUES))
    text = json.dumps({"profile": profile, "options": {"effort": "fast"}})
    if random_.random() < 0.05:
        text = text[: random_.randrange(len(text))]
    return text


def outcome(answer: httpx.Response) -> str:
    """Give what an answer is.

    Raises
    ------
    AssertionError
        It is neither a schedule nor a problem document, or a problem of the service's own.
    """
    document = answer.json()
    if answer.status_code == 200:
        assert document["schema"] == "nobubble.schedule/1", answer.text
        return "schedule"
    if answer.status_code == 202:  # It takes longer than this service lets a client wait.
        assert document["state"] in ("queued", "running"), answer.text
        return "job"
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    assert answer.status_code < 500, answer.text
    assert document["type"].startswith("/problems/"), answer.text
    assert document["detail"], answer.text
    return str(document["type"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Send them, and print how many of each answer there were."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--count", type=int, default=10_000)
    options = parser.parse_args(arguments)
    random_ = random.Random(0)
    counted: Counter[str] = Counter()
    headers = {"Content-Type": "application/json"}
    with httpx.Client(base_url=options.url, headers=headers, timeout=60) as client:
        for _ in range(options.count):
            counted[outcome(client.post("/v1/solve", content=mutated(random_)))] += 1
    for name, count in counted.most_common():
        print(f"{count:7} {name}")


if __name__ == "__main__":
    main()
