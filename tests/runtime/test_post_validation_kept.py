"""Tests that a step of any optimizer can be put back and taken again, bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import nn

from nobubble_torch import PostValidation
from nobubble_torch.errors import PostValidationError
from nobubble_torch.post_validation.kept import Kept

Make = Callable[[Any], torch.optim.Optimizer]
OPTIMIZERS: dict[str, Make] = {
    "adadelta": lambda them: torch.optim.Adadelta(them),
    "adafactor": lambda them: torch.optim.Adafactor(them),
    "adam-fused": lambda them: torch.optim.Adam(them, amsgrad=True, fused=True),
    "adamax": lambda them: torch.optim.Adamax(them),
    "adamw-foreach": lambda them: torch.optim.AdamW(them, foreach=True, maximize=True),
    "asgd": lambda them: torch.optim.ASGD(them, t0=1),
    "muon": lambda them: torch.optim.Muon(them),
    "nadam": lambda them: torch.optim.NAdam(them),
    "rprop": lambda them: torch.optim.Rprop(them),
    "sgd": lambda them: torch.optim.SGD(them, momentum=0.9, nesterov=True),
    # Overwrites gradients, and is what PyTorch chooses on GPUs.
    "sgd-foreach": lambda them: torch.optim.SGD(them, momentum=0.9, nesterov=True, foreach=True),
    "sgd-fused": lambda them: torch.optim.SGD(them, momentum=0.9, nesterov=True, fused=True),
    "tensor-rate": lambda them: torch.optim.AdamW(them, lr=torch.tensor(0.01)),
}


def parameters_of() -> list[nn.Parameter]:
    """Give parameters, the same on every call."""
    torch.manual_seed(0)
    return [nn.Parameter(torch.randn(4, 3, dtype=torch.float64)) for _ in range(3)]


def give_gradients(parameters: list[nn.Parameter]) -> None:
    """Give every parameter a random gradient."""
    for parameter in parameters:
        parameter.grad = torch.randn_like(parameter)


def all_of(optimizer: torch.optim.Optimizer, parameters: list[nn.Parameter]) -> list[Any]:
    """Copy parameters, gradients and state."""
    found: list[Any] = []
    for parameter in parameters:
        assert parameter.grad is not None
        found += [parameter.detach().clone(), parameter.grad.clone()]
        for name, value in sorted(optimizer.state.get(parameter, {}).items()):
            found += [name, value.clone() if isinstance(value, torch.Tensor) else value]
    return found


def are_equal(one: list[Any], other: list[Any]) -> bool:
    """Compare bit for bit."""
    return len(one) == len(other) and all(
        torch.equal(a, b) if isinstance(a, torch.Tensor) else a == b
        for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_step_is_put_back_and_taken_again(name: str) -> None:
    """Tests that both leave parameters, gradients and state as they should be."""
    parameters = parameters_of()
    optimizer = OPTIMIZERS[name](parameters)
    kept = Kept(optimizer)
    for _ in range(3):
        give_gradients(parameters)
        before = all_of(optimizer, parameters)
        kept.keep()
        optimizer.step()
        kept.note_gradients()
        after = all_of(optimizer, parameters)
        assert not are_equal(before, after)
        kept.put_back()
        assert are_equal(before, all_of(optimizer, parameters))
        optimizer.step()
        assert are_equal(after, all_of(optimizer, parameters))


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[None]:
    """Be the only rank."""
    dist.init_process_group(
        "gloo", init_method=f"file://{tmp_path / 'store'}", rank=0, world_size=1
    )
    yield
    dist.destroy_process_group()


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("name", ["optimizer", "to zero", "changed", "replaced"])
def test_gradients_that_are_gone_too_early_are_told(name: str) -> None:
    """Tests that a step which could not be taken again is an error, not a wrong step later."""
    parameters = parameters_of()
    optimizer = torch.optim.AdamW(parameters)
    validated = PostValidation(optimizer, max_norm=1.0)
    give_gradients(parameters)
    validated.step()
    gradient = parameters[1].grad
    assert gradient is not None
    if name == "optimizer":
        optimizer.zero_grad()
    elif name == "to zero":
        optimizer.zero_grad(set_to_none=False)
    elif name == "changed":
        gradient += 1
    else:
        parameters[1].grad = gradient.clone()
    with pytest.raises(PostValidationError, match=r"clear them by PostValidation\.zero_grad"):
        validated.flush()


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("set_to_none", [True, False])
def test_gradients_are_cleared_once_they_are_not_needed(set_to_none: bool) -> None:
    """Tests that zero_grad() waits for validation, and then does what the optimizer's does."""
    parameters = parameters_of()
    validated = PostValidation(torch.optim.AdamW(parameters), max_norm=1.0)
    for _ in range(2):
        give_gradients(parameters)
        validated.step()
        validated.zero_grad(set_to_none=set_to_none)
        assert all(it.grad is not None and it.grad.any() for it in parameters)
        validated.flush()
        for parameter in parameters:
            gradient = parameter.grad
            assert gradient is None if set_to_none else gradient is not None and not gradient.any()


@pytest.mark.usefixtures("alone")
def test_parameters_may_be_without_gradients_at_times() -> None:
    """Tests that a step is taken with the gradients that there are."""
    parameters = parameters_of()
    validated = PostValidation(torch.optim.SGD(parameters, momentum=0.9), max_norm=1e9)
    for missing in (None, 1, None):
        give_gradients(parameters)
        if missing is not None:
            parameters[missing].grad = None
        validated.step()
        validated.flush()
    assert validated.counts.steps == 3


@pytest.mark.usefixtures("alone")
def test_an_optimizer_that_computes_gradients_itself_is_refused() -> None:
    """Tests that LBFGS is told at once, while one with a scheduler's or a hook's step is taken."""
    with pytest.raises(PostValidationError, match="LBFGS computes gradients anew"):
        PostValidation(torch.optim.LBFGS(parameters_of()))
    optimizer = torch.optim.SGD(parameters_of())
    torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    PostValidation(optimizer)


@pytest.mark.usefixtures("alone")
def test_sparse_gradients_are_refused() -> None:
    """Tests that the message names them."""
    table = nn.Embedding(4, 2, sparse=True)
    validated = PostValidation(torch.optim.SGD(table.parameters()), max_norm=1.0)
    table(torch.tensor([1])).sum().backward()
    with pytest.raises(PostValidationError, match="a gradient is sparse"):
        validated.step()
