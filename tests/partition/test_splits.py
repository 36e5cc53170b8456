"""Tests that layers are cut evenly, and such that the busiest rank has least to do."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nobubble.partition import splits
from nobubble.partition.splits import even_split, min_max_split, neighbours

TIMES = st.lists(st.integers(0, 50), min_size=1, max_size=9)


def busiest(times: list[int], placement: list[int], counts: tuple[int, ...]) -> int:
    """Give the work of the busiest rank."""
    work = [0] * (max(placement) + 1)
    begin = 0
    for rank, count in zip(placement, counts, strict=True):
        work[rank] += sum(times[begin : begin + count])
        begin += count
    return max(work)


def every_partition(layers: int, stages: int) -> list[tuple[int, ...]]:
    """Give all ways to cut so many layers into stages."""
    return [
        tuple(end - begin for begin, end in pairwise((0, *cuts, layers)))
        for cuts in combinations(range(1, layers), stages - 1)
    ]


@given(TIMES, st.data())
def test_one_stage_a_rank_is_exact(times: list[int], data: st.DataObject) -> None:
    """Tests that no other cut has a busiest rank with less work, by trying all of them."""
    stages = data.draw(st.integers(1, len(times)))
    placement = list(range(stages))
    best = min(busiest(times, placement, cut) for cut in every_partition(len(times), stages))
    assert busiest(times, placement, min_max_split(times, placement)) == best


@given(TIMES, st.data())
def test_no_layer_is_lost(times: list[int], data: st.DataObject) -> None:
    """Tests that every cut has all layers, and no stage without any."""
    placement = data.draw(
        st.lists(st.integers(0, 3), min_size=1, max_size=len(times)).filter(
            lambda ranks: set(ranks) == set(range(max(ranks) + 1))
        )
    )
    for counts in (min_max_split(times, placement), even_split(times, len(placement))):
        assert sum(counts) == len(times)
        assert min(counts) >= 1
        assert len(counts) == len(placement)
        for other in neighbours(counts, reach=len(counts)):
            assert sum(other) == len(times)
            assert min(other) >= 1


@given(TIMES, st.integers(1, 4))
def test_folding_is_never_worse_than_the_first_cut(times: list[int], ranks: int) -> None:
    """Tests that with two stages a rank the ranks get at least as even as without looking."""
    placement = [*range(ranks), *reversed(range(ranks))]
    if len(placement) > len(times):
        return
    apart = min_max_split(times, list(range(len(placement))))
    folded = min_max_split(times, placement)
    assert busiest(times, placement, folded) <= busiest(times, placement, apart)


def test_many_layers_are_cut_without_the_programme(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that the quick way for many layers has as little a busiest rank."""
    times = [(7 * layer) % 11 + 1 for layer in range(60)]
    placement = list(range(7))
    exact = min_max_split(times, placement)
    monkeypatch.setattr(splits, "MOST_CUTS", 100)
    quick = min_max_split(times, placement)
    assert busiest(times, placement, quick) == busiest(times, placement, exact)
    assert sum(quick) == 60


def test_embedding_and_head_go_with_their_neighbours() -> None:
    """Tests that the even split is that of launchers: the body evenly, the rest at its ends."""
    assert even_split(["embedding", *["block"] * 32, "head"], 8) == (5, 4, 4, 4, 4, 4, 4, 5)
    assert even_split(["block"] * 10, 4) == (3, 3, 2, 2)


def test_layers_all_different_are_spread_evenly() -> None:
    """Tests that without a body all layers count alike."""
    assert even_split([1, 2, 3, 4, 5], 2) == (3, 2)


@pytest.mark.parametrize(
    ("counts", "reach", "nearest"), [((3, 1, 2), 2, (2, 2, 2)), ((1, 1, 4), 1, (1, 2, 3))]
)
def test_neighbours_move_one_layer(
    counts: tuple[int, ...], reach: int, nearest: tuple[int, ...]
) -> None:
    """Tests that neighbours differ by one layer, stages next to each other first."""
    found = neighbours(counts, reach)
    assert found[0] == nearest
    for other in found:
        moved = [after - before for before, after in zip(counts, other, strict=True)]
        assert sorted(change for change in moved if change) == [-1, 1]
