"""The ranks that the tests of nobubble_torch run on. They need torch: `make test-runtime`."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.runtime.ranks import Ranks

HAS_TORCH = importlib.util.find_spec("torch") is not None
collect_ignore_glob = [] if HAS_TORCH else ["*.py"]


def pytest_configure(config: pytest.Config) -> None:
    """Fail where these tests are asked for and cannot run, rather than pass with none."""
    asked = any("tests/runtime" in str(argument) for argument in config.args)
    if asked and not HAS_TORCH:
        raise pytest.UsageError("tests/runtime needs torch: make test-runtime installs it")


@pytest.fixture(scope="session")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ranks]:
    """Give four ranks."""
    import torch

    from tests.runtime.ranks import Ranks

    torch.set_num_threads(1)
    os.environ.setdefault("TORCH_DISTRIBUTED_DEBUG", "OFF")
    four = Ranks(4, tmp_path_factory.mktemp("ranks"))
    yield four
    four.stop()
