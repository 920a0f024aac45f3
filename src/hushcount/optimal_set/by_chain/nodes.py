"""Few numbers in place of many that change smoothly: values at nodes, and straight lines between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hushcount.numbers.arrays import Floats, Integers

__all__ = ["Nodes"]


@dataclass(frozen=True, eq=False)
class Nodes:
    """`places` of 0..count - 1, rising, with both ends; all of them where they are few."""

    count: int
    places: Integers

    @classmethod
    def of(cls, count: int, most: int, *, is_half: bool) -> Nodes:
        """Choose about `most`, densely at the lower end and, unless what follows mirrors it, at the upper end too."""
        if count <= most:
            return cls(count, np.arange(count))
        if is_half:
            return cls(count, _spread(count, most))
        half = _spread((count + 1) // 2, most // 2)
        return cls(count, np.unique(np.concatenate([half, count - 1 - half])))

    @property
    def is_whole(self) -> bool:
        return len(self.places) == self.count

    def shares(self) -> tuple[Integers, Floats]:
        """Return for each of 0..count - 1 the number of the node at or before it, and the share of the one after."""
        if len(self.places) == 1:
            return np.zeros(self.count, dtype=np.int64), np.zeros(self.count)
        every = np.arange(self.count)
        node = np.minimum(np.searchsorted(self.places, every, side="right") - 1, len(self.places) - 2)
        return node, (every - self.places[node]) / (self.places[node + 1] - self.places[node])

    def gathered(self, values: Floats) -> Floats:
        """Return the sums of values, the last axis, each shared among its two nodes."""
        if self.is_whole:
            return values
        _, share = self.shares()
        starts = self.places[:-1]
        kept = np.zeros((*values.shape[:-1], len(self.places)))
        kept[..., :-1] = np.add.reduceat(values * (1 - share), starts, axis=-1)
        kept[..., 1:] += np.add.reduceat(values * share, starts, axis=-1)
        return kept

    def spread(self, values: Floats) -> Floats:
        """Return what lies on straight lines between values at the nodes, the first axis."""
        if self.is_whole:
            return values
        node, share = self.shares()
        share = share.reshape(-1, *(1,) * (values.ndim - 1))
        return values[node] * (1 - share) + values[np.minimum(node + 1, len(values) - 1)] * share


def _spread(count: int, most: int) -> Integers:
    """Return about `most` of 0..count - 1: half of them one by one, the others at growing distances."""
    dense = most // 2
    ratio = (count - 1) / dense
    rest = dense * ratio ** np.linspace(0, 1, most - dense)
    return np.unique(np.concatenate([np.arange(dense), np.round(rest).astype(np.int64), [count - 1]]))
