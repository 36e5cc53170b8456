"""What a rank holds throughout: parameters, gradients, optimizer state, receive buffers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from nobubble_torch.errors import MeasureError


def bytes_of(tensors: Iterable[torch.Tensor]) -> int:
    """Give the bytes of tensors, each storage once."""
    storages = {
        (tensor.device, tensor.untyped_storage().data_ptr()): tensor.untyped_storage().nbytes()
        for tensor in map(_local, tensors)
    }
    return sum(storages.values())


def model_bytes(stages: Sequence[Any]) -> int:
    """Give the bytes of parameters, their gradients, and buffers."""
    parameters = [it for stage in stages for it in stage.submod.parameters()]
    buffers = [it for stage in stages for it in stage.submod.buffers()]
    trained = [it for it in parameters if it.requires_grad]
    return bytes_of([*parameters, *buffers]) + bytes_of(trained)


def receive_bytes(stages: Sequence[Any]) -> int:
    """Give the bytes of the receive buffers, which PyTorch allocates for all microbatches."""
    return bytes_of(
        info.buffer
        for stage in stages
        for infos in (*stage.args_recv_info.values(), *stage.grad_recv_info.values())
        for info in infos
        if info.buffer is not None
    )


def optimizer_bytes(optimizer: torch.optim.Optimizer | None) -> int:
    """Give the bytes of an optimizer's state: as it is, or as it will be after its first step.

    Raises
    ------
    MeasureError
        It has not stepped yet, and cannot be tried out without memory (on the meta device).
    """
    if optimizer is None:
        return 0
    if optimizer.state:
        return _state_bytes(optimizer)
    groups: list[dict[str, Any]] = []
    for group in optimizer.param_groups:
        options = {key: value for key, value in group.items() if key != "params"}
        options |= {key: False for key in ("fused", "foreach") if key in options}
        groups.append({**options, "params": [_shadow(it) for it in group["params"]]})
    try:
        kind: Callable[[list[dict[str, Any]]], torch.optim.Optimizer] = type(optimizer)
        twin = kind(groups)
        twin.step()
    except Exception as error:
        raise MeasureError(
            f"the state of {type(optimizer).__name__} cannot be foretold ({error}); let it step "
            "once before measuring"
        ) from error
    return _state_bytes(twin)


def _state_bytes(optimizer: torch.optim.Optimizer) -> int:
    return sum(
        _local(value).numel() * value.element_size()
        for state in optimizer.state.values()
        for value in state.values()
        if isinstance(value, torch.Tensor)
    )


def _shadow(parameter: torch.Tensor) -> torch.Tensor:
    """Give a parameter of the same shape that takes no memory."""
    shadow = torch.nn.Parameter(torch.empty_like(_local(parameter), device="meta"))
    shadow.grad = torch.empty_like(shadow)
    return shadow


def _local(tensor: torch.Tensor) -> torch.Tensor:
    """Give this process's part of a sharded tensor."""
    local: torch.Tensor = tensor.to_local() if hasattr(tensor, "to_local") else tensor
    return local.detach()
