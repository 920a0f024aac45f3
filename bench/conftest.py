"""How a case is measured: in rounds that alternate between hushcount and its peers, since machines are noisy."""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from time import perf_counter
from typing import Any

import pytest
from rows import Peer, Row


@pytest.fixture
def side_by_side(benchmark) -> Callable[..., None]:
    """Measure one case and add its rows to the results; a ratio is that of neighbors in time."""

    def measure(case: str, ours: Callable[[], Any], *peers: Peer, rounds: int, calls: int = 1) -> None:
        """Time `calls` calls per round, after one round that is not counted."""
        times: dict[Peer, list[float]] = {peer: [] for peer in peers}
        began = 0

        def peers_first() -> None:
            nonlocal began
            for peer, taken in times.items():
                if peer.rounds is None:
                    seconds = _timed(peer.run, calls)
                    if began > 0:
                        taken.append(seconds)
                elif 0 < began <= peer.rounds:
                    taken.append(_timed(peer.run, calls))
            began += 1

        benchmark.pedantic(_calls, (ours, calls), setup=peers_first, rounds=rounds, warmup_rounds=1)
        own = [seconds / calls for seconds in benchmark.stats.stats.data]
        rows = [Row.beside(case, own, peer, taken) for peer, taken in times.items()]
        benchmark.extra_info["rows"] = [row.as_dict() for row in rows]

    return measure


@pytest.fixture
def found(benchmark) -> Callable[..., None]:
    """Run something once a round that tells its own figures, and add the rows made from them."""

    def run(figures: Callable[[], Any], rows: Callable[[list[Any]], list[Row]], *, rounds: int) -> None:
        told: list[Any] = []
        benchmark.pedantic(lambda: told.append(figures()), rounds=rounds)
        benchmark.extra_info["rows"] = [row.as_dict() for row in rows(told)]

    return run


def _timed(run: Callable[[], Any], calls: int) -> float:
    start = perf_counter()
    _calls(run, calls)
    return (perf_counter() - start) / calls


def _calls(run: Callable[[], Any], calls: int) -> None:
    for _ in repeat(None, calls):
        run()
