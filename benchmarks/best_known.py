"""Solve every ready profile and search case, and compare with profiles/best_known.csv.

Prints a table of gaps. Exits with 1 when anything is worse than normal effort was when the file
was written (a cost above, or a bound below), or contradicts the best known. Costs that normal
effort reaches are the same on every machine; a time limit makes them depend on it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatch
from statistics import mean, median

from benchmarks.instances import Instance, instances
from benchmarks.options import Options, nanoseconds, parser
from benchmarks.records import Record, read_records, write_records
from benchmarks.tables import announced, print_table
from nobubble import __version__
from nobubble.methods import METHODS


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; give the exit status."""
    given = _parser()
    read = given.parse_args(arguments)
    options = Options.of(read)
    wanted = [instance for instance in instances() if fnmatch(str(instance), f"*{read.only}*")]
    if not wanted:
        given.error(f"no instance has {read.only!r} in its name")
    known, others = read_records(), {}
    runs, losses = [], []
    for instance in announced(wanted, str):
        run, other = _run(instance, options, read.method)
        runs.append(run)
        before = known.get(instance.key)
        if before is not None:
            lost = before.losses(run, is_full=read.method == "auto" and options.effort != "fast")
            losses += [f"{instance}: {loss}" for loss in lost]
        known[instance.key] = _updated(before, run, instance, accept=read.accept)
        others[other.key] = other
        for key in (instance.key, other.key):
            if key in known and key in others:
                known[key] = known[key].improved_by(others[key])
        if read.update:  # after each, so that nothing is lost when it is interrupted
            write_records(known[key] for key in _all_keys() if key in known)
    _report(runs, known)
    for loss in losses:
        print(f"worse: {loss}")
    return 1 if losses else 0


def _parser() -> argparse.ArgumentParser:
    given = parser(__doc__)
    given.add_argument("--method", choices=METHODS, default="auto", help="default: auto")
    given.add_argument(
        "--only", metavar="PATTERN", default="*", help="instances whose name has this in it"
    )
    given.add_argument(
        "--update", action="store_true", help="write what is better into the file, never worse"
    )
    given.add_argument(
        "--accept",
        action="store_true",
        help="with --update and normal effort: take what that reaches now also where it is worse",
    )
    return given


def _all_keys() -> list[tuple[str, str]]:
    return [instance.key for instance in instances()]


def _run(instance: Instance, options: Options, method: str) -> tuple[Record, Record]:
    """Solve an instance; write it up like its row of the file and like that of the other objective.

    The schedule is one for the other objective too. The rank span is never above the makespan, so a
    bound for it is one for the makespan.
    """
    document = options.solve(instance.profile, method)
    cost, bound = nanoseconds(document, "cost"), nanoseconds(document, "lower_bound")
    is_normal = method == "auto" and options == Options("normal", None)
    run = Record(
        instance=instance.name,
        objective=instance.objective,
        cost_ns=cost,
        bound_ns=bound,
        bound=document["bound"],
        proven="yes" if cost == bound else "no",
        method=document["method"],
        options=str(options) if method == "auto" else f"--method {method} {options}",
        version=__version__,
        normal_cost_ns=cost if is_normal else None,
        normal_bound_ns=bound if is_normal else None,
    )
    is_span = instance.objective == "rank_span"
    other = replace(
        run,
        objective="makespan" if is_span else "rank_span",
        cost_ns=nanoseconds(document, "makespan" if is_span else "rank_span"),
        bound_ns=bound if is_span else 0,
        options=f"{run.options} --objective {instance.objective}",
        normal_cost_ns=None,
        normal_bound_ns=None,
    )
    return run, other


def _updated(before: Record | None, run: Record, instance: Instance, *, accept: bool) -> Record:
    """Give what is known after a run, and from the reference."""
    after = run if before is None else before.improved_by(run)
    if accept and run.normal_cost_ns is not None:
        after = replace(
            after, normal_cost_ns=run.normal_cost_ns, normal_bound_ns=run.normal_bound_ns
        )
    if instance.reference is None:
        return after
    elsewhere = replace(run, cost_ns=instance.reference, method="reference", options="", version="")
    return after.improved_by(replace(elsewhere, normal_cost_ns=None, normal_bound_ns=None))


def _report(runs: Sequence[Record], known: dict[tuple[str, str], Record]) -> None:
    rows = []
    for run in runs:
        best = known[run.key]
        rows.append(
            [
                run.instance,
                run.objective,
                run.cost_ns,
                f"{run.gap():.3%}",
                run.method,
                run.bound,
                _percent(run.cost_ns, best.cost_ns),
                f"{best.gap():.3%}",
                best.method,
            ]
        )
    print_table(
        [
            "instance", "objective", "cost (ns)", "gap", "method", "bound", "above best",
            "best's gap", "best by",
        ],
        rows,
    )  # fmt: skip
    for title, records in (("here", runs), ("best known", [known[run.key] for run in runs])):
        gaps = [record.gap() for record in records]
        print(
            f"{title}: {sum(gap == 0 for gap in gaps)} of {len(gaps)} proven optimal; "
            f"gap: median {median(gaps):.3%}, mean {mean(gaps):.3%}, largest {max(gaps):.3%}"
        )


def _percent(cost: int, best: int) -> str:
    return "" if cost == best else f"{cost / best - 1:+.3%}"


if __name__ == "__main__":
    sys.exit(main())
