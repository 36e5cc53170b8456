"""Tests that `load` and steps refuse, on real ranks, what would hang or silently go wrong."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch

from nobubble_torch import load
from nobubble_torch.document import parse
from nobubble_torch.errors import (
    BatchError,
    DisagreementError,
    LossError,
    NobubbleTorchError,
    RequirementError,
    ScheduleError,
    StageError,
)
from nobubble_torch.requirements import check_requirements
from tests.runtime.faults import Document, drop, swap_last_forwards, swap_receives
from tests.runtime.models import batch, loss_of, stages_on
from tests.runtime.ranks import Ranks
from tests.runtime.schedules import schedule


def messages(
    ranks: Ranks, job: Callable[..., Any], *args: Any
) -> list[tuple[type[NobubbleTorchError], str]]:
    """Run a job that must fail on every rank; give type and text of each rank's error."""
    answers: list[tuple[type[NobubbleTorchError], str]] = ranks.run(job, *args)
    assert all(answers), answers
    return answers


def refusal(
    rank: int, document: Document, **options: Any
) -> tuple[type[NobubbleTorchError], str] | None:
    """Load, and give the error; None where it loads."""
    stages = options.pop("stages", None) or stages_on(rank, document["placement"])
    try:
        load(document, stages, **{"loss_fn": loss_of("mean"), **options})
    except NobubbleTorchError as error:
        return type(error), str(error)
    return None


def refused_fault(rank: int, document: Document, placement: list[int]) -> Any:
    return refusal(rank, document, stages=stages_on(rank, placement))


@pytest.mark.parametrize("change", [swap_last_forwards, swap_receives, drop("SEND_F", 0)])
def test_load_refuses_it_on_every_rank(change: Callable[[Document], None], ranks: Ranks) -> None:
    """Tests that load raises, on real ranks, rather than hang or run."""
    document = schedule("v")
    placement = list(document["placement"])
    change(document)
    for kind, _ in messages(ranks, refused_fault, document, placement):
        assert kind is ScheduleError


def other_schedule_on_rank_2(rank: int, one: Document, other: Document) -> Any:
    return refusal(rank, other if rank == 2 else one)


def test_another_schedule_on_one_rank_is_named(ranks: Ranks) -> None:
    """Tests that hashes are compared over the ranks before the first step."""
    one, other = schedule("linear"), schedule("low-memory")
    for kind, text in messages(ranks, other_schedule_on_rank_2, one, other):
        assert kind is DisagreementError
        assert "SHA-256 of the schedule's actions" in text
        assert "ranks 0, 1, 3: " in text
        assert "rank 2: " in text


def scales_differently_on_rank_1(rank: int, document: Document) -> Any:
    return refusal(rank, document, loss_fn=_plain_loss, scale_grads=rank != 1)


def _plain_loss(output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return ((output - target) ** 2).sum()


def test_another_scaling_on_one_rank_is_named(ranks: Ranks) -> None:
    """Tests that ranks which would scale gradients differently are told apart."""
    for kind, text in messages(ranks, scales_differently_on_rank_1, schedule("linear")):
        assert kind is DisagreementError
        assert "scale_grads: ranks 0, 2, 3: True; rank 1: False" in text


def wrong_stages(rank: int, document: Document) -> Any:
    placement = [1, 0, 2, 3] if rank < 2 else document["placement"]
    return refusal(rank, document, stages=stages_on(rank, placement))


def test_stages_of_another_placement_are_refused(ranks: Ranks) -> None:
    """Tests that no rank hangs: those with the right stages hear of the others."""
    answers = messages(ranks, wrong_stages, schedule("linear"))
    assert [kind for kind, _ in answers] == [StageError] * 2 + [DisagreementError] * 2
    assert "the stages built here are [1]" in answers[0][1]
    assert "rank 1: rank 1: the stages built here are [0]" in answers[2][1]


def descending_stages(rank: int, document: Document) -> Any:
    return refusal(rank, document, stages=stages_on(rank, document["placement"])[::-1])


def test_stages_out_of_order_are_refused(ranks: Ranks) -> None:
    """Tests that PyTorch's initialisation, which goes through stages in order, cannot hang."""
    for rank, (kind, text) in enumerate(messages(ranks, descending_stages, schedule("v"))):
        assert kind is StageError
        assert f"give them ascending: [{rank}, {7 - rank}]" in text


def modules_for_stages(rank: int, document: Document) -> Any:
    return refusal(rank, document, stages=[torch.nn.Linear(2, 2)])


def test_a_bare_module_is_refused(ranks: Ranks) -> None:
    """Tests that the message says how to wrap it."""
    for kind, text in messages(ranks, modules_for_stages, schedule("linear")):
        assert kind is StageError
        assert "PipelineStage(module" in text


def eight_stages(rank: int, document: Document) -> Any:
    stages = stages_on(rank, [0, 1, 2, 3, 3, 2, 1, 0])[:1]
    return refusal(rank, document, stages=stages)


def test_stages_of_a_longer_model_are_refused(ranks: Ranks) -> None:
    """Tests that the number of stages is the schedule's."""
    for kind, text in messages(ranks, eight_stages, schedule("linear")):
        assert kind is StageError
        assert "built as one of 8 stages; the schedule has 4" in text


def of_two_ranks(rank: int, document: Document) -> Any:
    document["placement"] = [0, 0, 0, 0]
    ops = [{"op": "F", "stage": s, "microbatch": 0} for s in range(4)]
    ops += [{"op": "BW", "stage": s, "microbatch": 0} for s in (3, 2, 1, 0)]
    document["ranks"] = [{"rank": 0, "actions": ops}]
    document["profile"]["microbatches"] = 1
    return refusal(rank, document, stages=stages_on(rank, [0, 1, 2, 3]))


def test_another_number_of_ranks_is_refused(ranks: Ranks) -> None:
    """Tests that a schedule for one rank does not start on four."""
    for kind, text in messages(ranks, of_two_ranks, schedule("linear")):
        assert kind is StageError
        assert "is for 1 ranks, and the process group has 4" in text


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"scale_grads": False}, LossError, 'does not go with a loss of reduction="mean"'),
        ({"loss_fn": loss_of("sum"), "scale_grads": True}, LossError, 'reduction="sum"'),
        ({"loss_fn": loss_of("none")}, LossError, "a backward begins at one number"),
        ({"loss_fn": None}, LossError, "leave no gradients"),
        ({"loss_fn": _plain_loss}, LossError, "_plain_loss does not tell"),
        (
            {
                "loss_fn": functools.partial(torch.nn.functional.mse_loss, reduction="sum"),
                "scale_grads": True,
            },
            LossError,
            'reduction="sum"',
        ),
        ({"microbatches": 16}, ScheduleError, "has 7 microbatches, and the training loop 16"),
        ({"defer_pp_recv": True}, ScheduleError, "out of the order of the sends"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    options: dict[str, Any], kind: type[NobubbleTorchError], message: str, ranks: Ranks
) -> None:
    """Tests scaling against loss, the number of microbatches, and deferred receives under V."""
    for found, text in messages(ranks, refuse_with, schedule("v"), options):
        assert found is kind
        assert message in text


def refuse_with(rank: int, document: Document, options: dict[str, Any]) -> Any:
    return refusal(rank, document, **options)


def test_a_schedule_for_post_validation_says_what_it_costs_without() -> None:
    """Tests that a rank-span schedule does not run synchronously unless that is asked for."""
    document = schedule("rank-span")
    parsed = parse(document, "x.json")
    with pytest.raises(RequirementError) as raised:
        check_requirements(parsed, None, synchronous=False)
    metrics = document["metrics"]
    assert f"in {metrics['rank_span']} ms" in str(raised.value)
    assert f"its makespan instead, {metrics['makespan']} ms" in str(raised.value)
    assert "synchronous=True" in str(raised.value)
    check_requirements(parsed, None, synchronous=True)


def test_an_unknown_requirement_is_refused() -> None:
    """Tests that what a later version asks for is not passed over."""
    document = {**schedule("linear"), "requires": ["offloading"]}
    with pytest.raises(RequirementError, match="requires offloading"):
        check_requirements(parse(document, "x"), None, synchronous=True)


def bad_step(rank: int, document: Document, fault: str) -> Any:
    stages = stages_on(rank, document["placement"])
    runtime = load(document, stages, loss_fn=loss_of("mean"))
    inputs, targets = batch(runtime.schedule.microbatches)
    inputs = inputs[:-1] if fault == "uneven" else inputs
    args = () if fault == "no input" else (inputs,)
    target = targets if fault != "no target" else None
    if rank not in (0, 3) or (rank == 3) != (fault == "no target"):
        return None
    try:
        runtime.step(*(args if rank == 0 else ()), target=target if rank == 3 else None)
    except BatchError as error:
        return str(error)
    return "ran"


@pytest.mark.parametrize(
    ("fault", "rank", "message"),
    [
        ("uneven", 0, "input 0 has 23 samples (its first dimension), which do not split into 8"),
        ("no input", 0, "has stage 0 and was given no input"),
        ("no target", 3, "has the last stage and was given no target"),
    ],
)
def test_a_batch_that_does_not_split_is_refused(
    fault: str, rank: int, message: str, ranks: Ranks
) -> None:
    """Tests that a step with unequal microbatches, or with none, does not begin."""
    answer = ranks.run(bad_step, schedule("linear"), fault)[rank]
    assert message in answer


def evaluated(rank: int, document: Document) -> list[list[float]]:
    stages = stages_on(rank, document["placement"])
    runtime = load(document, stages, loss_fn=loss_of("mean"))
    inputs, targets = batch(runtime.schedule.microbatches)
    args = (inputs,) if stages[0].is_first else ()
    target = targets if stages[-1].is_last else None
    found = []
    for run in (runtime.step, runtime.eval, runtime.step):
        losses: list[torch.Tensor] = []
        run(*args, target=target, losses=losses)
        found.append([loss.item() for loss in losses])
    return found


def test_eval_runs_forward_only_between_steps(ranks: Ranks) -> None:
    """Tests evaluation where neighbouring stages are on one rank, in which PyTorch's own fails."""
    first, evaluation, last = ranks.run(evaluated, schedule("v"))[0]
    assert len(first) == 7
    assert first == evaluation == last
