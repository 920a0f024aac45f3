"""The chain whose worst expected loss over true counts is least, by a few small linear programs.

    minimise t   subject to   loss of i at x <= t for all i,   g(x_j) <= x_(j+1),

a convex program in x. Each threshold moves along the straight lines between a few of its places, its *window*: losses
and g are at most their chords, so whatever such a program finds is a chain with losses of at most its t. Windows follow
what is found and become narrow. Under (epsilon, delta) the chords between neighbouring kinks are the losses
themselves: once every threshold is found well inside such a window, the whole problem is solved.

The multipliers of the rows are weights of the true counts. **Lower bound**: for any weights, the least mean loss
(`bayes`) is at most the least worst loss.

Where there are many true counts, thresholds and multipliers are kept at `nodes`. What that costs shows in the gap
between the bounds, which hold all the same. Where true counts may be counted from the other end, so may thresholds,
x_(n-1-j) = 1 - g(x_j): the mean of a chain and of its mirror image is no worse than both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hushcount.numbers.arrays import Floats
from hushcount.optimal_set.by_chain.interior_point import least_worst
from hushcount.optimal_set.by_chain.loss_steps import LossSteps, mirrored
from hushcount.optimal_set.by_chain.nodes import Nodes
from hushcount.optimal_set.by_chain.thresholds import Thresholds

__all__ = ["Minimax"]

_NARROWING = 8
_LEAST_WIDTH = 1e-4
_ROUNDED = 1e-12
_MOST_JOINS = 6
_FULL = 1e-7


@dataclass(frozen=True, eq=False)
class _Window:
    """The places of one threshold, with x, 1 - x and g(x) at each."""

    places: Floats
    points: Floats


class Minimax:
    """See the module; one `improve` is one program.

    Attributes:
        centres, widths: of the windows, one for each threshold (of a half, if mirrored).
        value: the t of the last program.
    """

    def __init__(self, thresholds: Thresholds, steps: LossSteps, *, is_mirrored: bool) -> None:
        self.thresholds, self.steps, self.is_mirrored = thresholds, steps, is_mirrored
        n = self.n = steps.n
        self.free = n // 2 if is_mirrored else n
        self.rows = n // 2 + 1 if is_mirrored else n + 1
        self.centres = np.full(self.free, float(thresholds.centre()))
        self.widths = np.ones(self.free)
        self.is_settled = False
        self.value = np.inf
        self._joined: set[int] = set()

    def improve(self, lift: float, most: int, *, is_last: bool) -> tuple[Floats, Floats, Floats]:
        """Solve one program at `most` nodes, with losses times `lift` about 1; return x, 1 - x and the weights of the
        true counts."""
        columns = Nodes.of(self.free, most, is_half=self.is_mirrored)
        rows = Nodes.of(self.rows, most + 1, is_half=self.is_mirrored)
        windows = [self._window(j, is_last=is_last) for j in range(self.free)]
        jacobian, base = self._losses(windows, columns, rows)
        count, width, _ = jacobian.shape
        A = jacobian.reshape(count * width, -1).T * lift
        for _ in range(_MOST_JOINS):
            C, d = self._conditions(windows, columns, width)
            found = least_worst(A, base * lift, C, d)
            shares = columns.spread(found.v.reshape(count, width))
            at = [_location(window, share) for window, share in zip(windows, shares, strict=True)]
            points = np.array(
                [
                    window.points[c] * (1 - u) + window.points[c + 1] * u
                    for window, (c, u) in zip(windows, at, strict=True)
                ]
            )
            broken = self._broken(points) - self._joined
            if not broken:
                break
            self._joined |= broken
        self.value = float((A @ found.v + base * lift).max()) / lift
        self._move(windows, at, columns)
        x, rest, image = points.T
        if self.is_mirrored:
            middle = np.array([self.thresholds.points(self.thresholds.centre())])[: self.n % 2]
            x, rest = (
                np.concatenate([x, middle[:, 0], 1 - image[::-1]]),
                np.concatenate([rest, middle[:, 1], image[::-1]]),
            )
        return x, rest, self._weights(found.weights, rows)

    def _window(self, j: int, *, is_last: bool) -> _Window:
        places = self.thresholds.beside(float(self.centres[j]), float(self.widths[j]), is_last=is_last)
        return _Window(np.array(places), np.array([self.thresholds.points(place) for place in places]))

    def _losses(self, windows: list[_Window], columns: Nodes, rows: Nodes) -> tuple[Floats, Floats]:
        """Return by how much each step of each node's window raises the losses at nodes, and the losses before."""
        width = max(len(window.places) for window in windows) - 1
        jacobian = np.zeros((len(columns.places), width, len(rows.places)))
        base = self.steps.base[: self.rows].copy()
        if self.is_mirrored and self.n % 2:
            base += self._costs(self.n // 2, [self.thresholds.centre()])[0] / 2
        node, share = columns.shares()
        for j, window in enumerate(windows):
            costs = self._costs(j, window.places.tolist())
            base += costs[0]
            rises = rows.gathered(np.diff(costs, axis=0))
            jacobian[node[j], : len(rises)] += (1 - share[j]) * rises
            if share[j]:
                jacobian[node[j] + 1, : len(rises)] += share[j] * rises
        sizes = rows.gathered(np.ones(self.rows))
        return jacobian / sizes, rows.gathered(base) / sizes

    def _costs(self, j: int, places: list[float]) -> Floats:
        """Return what threshold j, and its mirror image, cost each true count at some places, one row each."""
        below, above = self.steps.of_threshold(j)
        far, near = self.thresholds.many_tails(places, j)
        rows = np.concatenate([(above * near)[:, ::-1], below * far], axis=1)
        return (rows + rows[:, ::-1])[:, : self.rows] if self.is_mirrored else rows

    # The conditions of a chain: those that were once broken.

    def _highest(self) -> float:
        """Return what g of the last free threshold of a mirrored chain may be at most."""
        return self.thresholds.points(self.thresholds.centre())[0] if self.n % 2 else 0.5

    def _broken(self, points: Floats) -> set[int]:
        room = points[1:, 0] - points[:-1, 2]
        if self.is_mirrored:
            room = np.append(room, self._highest() - points[-1, 2])
        return set(np.flatnonzero(room < -_ROUNDED).tolist())

    def _conditions(self, windows: list[_Window], columns: Nodes, width: int) -> tuple[Floats, Floats]:
        node, share = columns.shares()
        C, d = np.zeros((len(self._joined), len(columns.places), width)), np.zeros(len(self._joined))

        def add(row: int, j: int, what: int, sign: float) -> None:
            rises = sign * np.diff(windows[j].points[:, what])
            C[row, node[j], : len(rises)] += (1 - share[j]) * rises
            if share[j]:
                C[row, node[j] + 1, : len(rises)] += share[j] * rises
            d[row] -= sign * windows[j].points[0, what]

        for row, j in enumerate(sorted(self._joined)):
            add(row, j, 2, 1.0)
            if j + 1 < self.free:
                add(row, j + 1, 0, -1.0)
            else:
                d[row] += self._highest()
        return C.reshape(len(d), len(columns.places) * width), d

    # What follows from what is found.

    def _move(self, windows: list[_Window], at: list[tuple[int, float]], columns: Nodes) -> None:
        """Put each window around where its threshold is: at nodes, and on straight lines between them."""
        nodes = columns.places
        centres, widths = self.centres[nodes], self.widths[nodes]
        self.is_settled = columns.is_whole
        for k, j in enumerate(nodes.tolist()):
            window, (cell, share) = windows[j], at[j]
            places = window.places
            step = places[cell + 1] - places[cell]
            centres[k] = places[cell] + share * step
            is_at_end = min(cell + share, len(places) - 1 - cell - share) < _FULL
            widths[k] = self.thresholds.in_widths(4 * step if is_at_end else step / _NARROWING)
            self.is_settled &= self.thresholds.is_settled(places.tolist(), centres[k])
        self.centres = columns.spread(centres)
        self.widths = np.maximum(columns.spread(widths), _LEAST_WIDTH)

    def _weights(self, multipliers: Floats, rows: Nodes) -> Floats:
        """Return weights of all true counts from the multipliers of the rows at nodes."""
        half = rows.spread(np.maximum(multipliers, 0.0) / rows.gathered(np.ones(self.rows)))
        return mirrored(half, self.n) if self.is_mirrored else half


def _location(window: _Window, shares: Floats) -> tuple[int, float]:
    """Return the number of the place before x, and the share of the next one. Shares fill up one after the other where
    that costs least; where it does not matter, x is their sum."""
    rises = np.diff(window.points[:, 0])
    shares = shares[: len(rises)]
    cell = int(np.argmax(np.append(shares < 1 - _FULL, True)))
    if cell == len(rises):
        return cell - 1, 1.0
    if (shares[cell + 1 :] < _FULL).all():
        return cell, float(min(max(shares[cell], 0.0), 1.0))
    reached = np.cumsum(rises)
    moved = float(rises @ shares)
    cell = min(int(np.searchsorted(reached, moved)), len(rises) - 1)
    part = (moved - reached[cell] + rises[cell]) / rises[cell] if rises[cell] > 0 else 0.0
    return cell, min(max(part, 0.0), 1.0)
