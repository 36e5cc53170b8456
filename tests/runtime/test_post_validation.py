"""Tests that stepping first and validating afterwards is synchronous training, bit for bit."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import PipelineStage

from nobubble_torch import LossScale, PostValidation, load
from nobubble_torch.errors import PostValidationError, RequirementError
from tests.runtime.models import SAMPLES, WIDTH
from tests.runtime.ranks import Ranks
from tests.runtime.schedules import schedule

STEPS = 30
NORM = 1.4
LOUD = {3, 4, 9, 17, 28}
"""Steps whose batch is larger, so that gradients are clipped."""
BROKEN = {6: 3, 12: 0, 13: 2, 21: 1, 22: 3}
"""Steps in which a gradient is NaN, and the rank whose it is."""

OPTIMIZERS: dict[str, Callable[[Any], torch.optim.Optimizer]] = {
    "sgd": lambda them: torch.optim.SGD(them, lr=0.05, momentum=0.9, nesterov=True, foreach=True),
    "adam": lambda them: torch.optim.Adam(them, lr=0.01, amsgrad=True),
    "adamw": lambda them: torch.optim.AdamW(them, lr=0.01, weight_decay=0.1),
    "rmsprop": lambda them: torch.optim.RMSprop(them, lr=0.01, momentum=0.5, centered=True),
    "adagrad": lambda them: torch.optim.Adagrad(them, lr=0.05),
    "radam": lambda them: torch.optim.RAdam(them, lr=0.01),
}


class Part(nn.Module):
    """A stage with random numbers, and with a statistic that a forward changes."""

    forwards: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("forwards", torch.zeros(1))
        self.norm = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 2 * WIDTH)
        self.drop = nn.Dropout(0.1)
        self.down = nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.forwards += 1
        y: torch.Tensor = x + self.down(self.drop(torch.tanh(self.up(self.norm(x)))))
        return y


def stages_of(rank: int, placement: Sequence[int]) -> list[PipelineStage]:
    """Build a rank's stages, the same on every call."""
    found = []
    for stage, its in enumerate(placement):
        torch.manual_seed(stage)
        part = Part().double()
        if its == rank:
            found.append(PipelineStage(part, stage, len(placement), torch.device("cpu")))
    torch.manual_seed(100 + rank)
    return found


def batch_of(step: int, microbatches: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Give the batch of a step."""
    torch_state = torch.get_rng_state()
    torch.manual_seed(1000 + step)
    shape = (microbatches * SAMPLES, WIDTH)
    inputs, targets = (torch.randn(shape, dtype=torch.float64) for _ in range(2))
    torch.set_rng_state(torch_state)
    return inputs, targets * (8 if step in LOUD else 0.5)


def train(
    rank: int,
    document: dict[str, Any],
    name: str,
    max_norm: float | None,
    scale: float | None,
    at_once: bool,
) -> dict[str, Any]:
    """Train for some steps, after validation or synchronously; give all that came of it."""
    stages = stages_of(rank, document["placement"])
    parameters = [it for stage in stages for it in stage.submod.parameters()]
    optimizer = OPTIMIZERS[name](parameters)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.97)
    loss_scale = None if scale is None else LossScale(scale, growth_interval=4)
    validated: PostValidation | None = None
    loss_fn: Any = nn.MSELoss()
    if at_once:
        validated = PostValidation(
            optimizer, max_norm=max_norm, loss_scale=loss_scale, skip_nonfinite=True
        )
        runtime = load(document, stages, loss_fn=loss_fn, post_validation=validated)
    else:
        scaled = loss_fn if loss_scale is None else loss_scale.scaled(loss_fn)
        runtime = load(document, stages, loss_fn=scaled, scale_grads=True, synchronous=True)
    history = []
    for step in range(STEPS):
        inputs, targets = batch_of(step, document["profile"]["microbatches"])
        losses: list[torch.Tensor] = []
        (validated or optimizer).zero_grad()
        args = (inputs,) if stages[0].is_first else ()
        target = targets if stages[-1].is_last else None
        runtime.step(*args, target=target, losses=losses)
        history += [loss.item() for loss in losses]
        if BROKEN.get(step) == rank:
            gradient = parameters[3].grad
            assert gradient is not None
            gradient.view(-1)[0] = math.nan
        if validated is not None:
            validated.step()
        else:
            synchronous_step(optimizer, parameters, max_norm, loss_scale)
        scheduler.step()
    if validated is not None:
        validated.flush()
    return {
        "losses": history,
        "parameters": [parameter.detach().clone() for parameter in parameters],
        "buffers": [b.clone() for stage in stages for b in stage.submod.buffers()],
        "state": optimizer.state_dict()["state"],
        "scale": None if loss_scale is None else loss_scale.state_dict(),
        "counts": None if validated is None else validated.counts,
        "norm": None if validated is None or validated.last is None else validated.last.norm,
    }


def synchronous_step(
    optimizer: torch.optim.Optimizer,
    parameters: list[nn.Parameter],
    max_norm: float | None,
    loss_scale: LossScale | None,
) -> None:
    """Step as every training loop does: gather, then clip or skip, then step."""
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    if loss_scale is not None:
        for gradient in gradients:
            gradient *= 1.0 / loss_scale.scale
    square = sum((float(torch.linalg.vector_norm(it)) ** 2 for it in gradients), 0.0)
    squares: list[Any] = [None] * dist.get_world_size()
    dist.all_gather_object(squares, square)
    is_finite = all(math.isfinite(its) for its in squares)
    if is_finite:
        norm = math.sqrt(sum(squares))
        if max_norm is not None and norm + 1e-6 > max_norm:
            for gradient in gradients:
                gradient *= max_norm / (norm + 1e-6)
        optimizer.step()
    if loss_scale is not None:
        loss_scale.update(not is_finite)


def assert_equal(one: Any, other: Any) -> None:
    """Compare bit for bit."""
    if isinstance(one, torch.Tensor):
        assert torch.equal(one, other)
    elif isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_equal(one[key], other[key])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            assert_equal(a, b)
    else:
        assert one == other


RESULTS = ("losses", "parameters", "buffers", "state", "scale")


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_any_optimizer_ends_where_synchronous_training_does(name: str, ranks: Ranks) -> None:
    """Tests 30 steps with clipping and NaN's on a schedule for rank span: all bits are equal."""
    document = schedule("rank-span")
    after = ranks.run(train, document, name, NORM, None, True)
    before = ranks.run(train, document, name, NORM, None, False)
    for one, other in zip(after, before, strict=True):
        for key in RESULTS:
            assert_equal(one[key], other[key])
    for rank, answer in enumerate(after):
        counts = answer["counts"]
        assert counts.steps == STEPS
        assert counts.skipped == len(BROKEN)
        assert counts.clipped > 0
        assert counts.steps - counts.clipped - counts.skipped > 0
        assert (counts.redone > 0) == (rank < 3)


@pytest.mark.parametrize(
    ("max_norm", "scale"), [(None, 2.0**10), (NORM, 2.0**10), (NORM, 3.0), (None, None)]
)
def test_clipping_and_loss_scaling_alone_and_together(
    max_norm: float | None, scale: float | None, ranks: Ranks
) -> None:
    """Tests that either, both, or only skipping give what synchronous training gives."""
    document = schedule("rank-span")
    after = ranks.run(train, document, "adamw", max_norm, scale, True)
    before = ranks.run(train, document, "adamw", max_norm, scale, False)
    for one, other in zip(after, before, strict=True):
        for key in RESULTS:
            assert_equal(one[key], other[key])


@pytest.mark.parametrize("name", ["v", "interleaved", "low-memory", "mixed"])
def test_other_schedules_can_be_stepped_so_too(name: str, ranks: Ranks) -> None:
    """Tests that it holds where rank 0 has the last stage, and where little runs ahead."""
    document = schedule(name)
    after = ranks.run(train, document, "adamw", NORM, 2.0**10, True)
    before = ranks.run(train, document, "adamw", NORM, 2.0**10, False)
    for one, other in zip(after, before, strict=True):
        for key in RESULTS:
            assert_equal(one[key], other[key])


def misuse(rank: int, document: dict[str, Any]) -> list[str]:
    """Use it wrongly in several ways; give the messages."""
    stages = stages_of(rank, document["placement"])
    parameters = [it for stage in stages for it in stage.submod.parameters()]
    optimizer = torch.optim.SGD(parameters, lr=0.1)
    said = []
    wrong: Any = parameters
    attempts: list[Callable[[], object]] = [
        lambda: PostValidation(optimizer, max_norm=0),
        lambda: PostValidation(optimizer, max_norm=math.nan),
        lambda: PostValidation(wrong),
        lambda: LossScale(0),
    ]
    for attempt in attempts:
        try:
            attempt()
        except (PostValidationError, ValueError) as error:
            said.append(str(error))
    elsewhere = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.1)
    given: Any
    for given in (optimizer, PostValidation(elsewhere)):
        try:
            load(document, stages, loss_fn=nn.MSELoss(), post_validation=given)
        except RequirementError as error:
            said.append(str(error))
    validated = PostValidation(optimizer, max_norm=1)
    for parameter in parameters:
        parameter.grad = torch.ones_like(parameter)
    validated.step()
    try:
        validated.step()
    except PostValidationError as error:
        said.append(str(error))
    validated.flush()
    return said


def test_misuse_is_told(ranks: Ranks) -> None:
    """Tests that each wrong use has a message that says what to do."""
    for said in ranks.run(misuse, schedule("rank-span")):
        assert len(said) == 7
        for text, part in zip(
            said,
            [
                "max_norm=0; give a number above 0",
                "max_norm=nan; give a number above 0",
                "a list is no optimizer; give a torch.optim.Optimizer",
                "a loss scale is above 0",
                "post_validation is a SGD; give the nobubble_torch.PostValidation",
                "has none of the parameters of this rank's stages; make it from them",
                "the step before is not validated yet; run the runtime's step() in between",
            ],
            strict=True,
        ):
            assert part in text


def resume(rank: int, document: dict[str, Any]) -> bool:
    """Save after some steps, load into new objects, and compare what comes of one more step."""
    ends = []
    saved: Any = None
    for _ in range(2):
        stages = stages_of(rank, document["placement"])
        parameters = [it for stage in stages for it in stage.submod.parameters()]
        scale = LossScale(4.0, growth_interval=2)
        validated = PostValidation(
            torch.optim.AdamW(parameters, lr=0.1), max_norm=0.1, loss_scale=scale
        )
        runtime = load(document, stages, loss_fn=nn.MSELoss(), post_validation=validated)
        begin = 0
        if saved is not None:
            begin = 3
            validated.load_state_dict(saved["optimizer"])
            for stage, state in zip(stages, saved["modules"], strict=True):
                stage.submod.load_state_dict(state)
        for step in range(begin, 6):
            if step == 3:
                state = validated.state_dict()
                modules = [
                    {key: value.clone() for key, value in stage.submod.state_dict().items()}
                    for stage in stages
                ]
                optimizer = torch.optim.AdamW(parameters, lr=0.1)
                optimizer.load_state_dict(state["optimizer"])
                copied = {**state, "optimizer": clone(state["optimizer"])}
                saved = saved or {"optimizer": copied, "modules": modules}
                torch.manual_seed(7)
            inputs, targets = batch_of(step, document["profile"]["microbatches"])
            validated.zero_grad()
            args = (inputs,) if stages[0].is_first else ()
            runtime.step(*args, target=targets if stages[-1].is_last else None)
            validated.step()
        validated.flush()
        ends.append([parameter.detach().clone() for parameter in parameters])
    return all(torch.equal(one, other) for one, other in zip(*ends, strict=True))


def clone(value: Any) -> Any:
    """Copy a state, its tensors too."""
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, dict):
        return {key: clone(its) for key, its in value.items()}
    if isinstance(value, list):
        return [clone(its) for its in value]
    return value


def test_training_goes_on_from_a_checkpoint(ranks: Ranks) -> None:
    """Tests that state_dict() validates first, and that loading it goes on with the same bits."""
    assert ranks.run(resume, schedule("rank-span")) == [True] * 4
