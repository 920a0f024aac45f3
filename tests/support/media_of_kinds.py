"""Media of many kinds, most of them such as floats and solvers find hard, and promises from one end to the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hushcount.medium import (
    Medium,
    binary_erasure,
    binary_symmetric,
    from_matrix,
    fsk,
    pam,
    psk,
    qam,
    rounding,
    symmetric_channel,
    z_channel,
)

Random = np.random.Generator
EPSILONS = ["0", "1e-300", "1e-9", "1e-3", "0.5", "0.5", "1", "4", "40", "700", "5000"]
DELTAS = ["0", "0", "0", "1e-12", "0.01", "0.5"]
FEW, MANY = [1, 2, 3, 4, 5, 6, 6, 7, 8, 9], [16, 32]
MANY_EVERY = 12
"""One case in so many is of 16 or 32 symbols."""


@dataclass(frozen=True)
class Case:
    """A medium at one promise."""

    kind: str
    number: int
    medium: Medium
    epsilon: str
    delta: str

    def __str__(self) -> str:
        return f"{self.kind} {self.number}: {self.medium.order} symbols, {self.epsilon}, {self.delta}"


def case(kind: str, number: int) -> Case:
    """Return a case, made from its kind and number alone."""
    rng = np.random.default_rng([number, *kind.encode()])
    sizes = MANY if number % MANY_EVERY == MANY_EVERY - 1 else FEW
    medium = KINDS[kind](rng, int(rng.choice(sizes)))
    return Case(kind, number, medium, str(rng.choice(EPSILONS)), str(rng.choice(DELTAS)))


def _given(matrix: np.ndarray) -> Medium:
    return from_matrix(matrix, normalise=True)


def _rows(rng: Random, M: int) -> np.ndarray:
    """Return random rows, near the identity or not."""
    share = rng.choice([0.0, 0.5, 0.9, 0.999])
    matrix: np.ndarray = share * np.eye(M) + (1 - share) * rng.dirichlet(np.full(M, rng.choice([0.2, 1.0])), M)
    return matrix


def _near_singular(rng: Random, M: int) -> Medium:
    same = np.tile(rng.dirichlet(np.ones(M)), (M, 1))
    return _given(np.abs(same + 10.0 ** -rng.integers(4, 17) * rng.normal(size=(M, M))))


def _singular(rng: Random, M: int) -> Medium:
    """One row is a mixture of two others, exactly: all are multiples of 2^-10."""
    matrix = rng.multinomial(1024, np.full(M, 1 / M), M) / 1024
    if M > 2:
        matrix[rng.integers(M)] = (matrix[0] + matrix[1]) / 2
    return _given(matrix)


def _alike(rng: Random, M: int, axis: int) -> Medium:
    places = np.sort(rng.integers(0, M, M))
    matrix = _rows(rng, M).take(places, axis=axis)
    empty = matrix.sum(axis=1) == 0
    matrix[empty] = 1 / M
    return _given(matrix)


def _tiny(rng: Random, M: int) -> Medium:
    powers = rng.choice([0, 0, 12, 20, 100, 300, 323], size=(M, M))
    matrix = rng.random((M, M)) * 10.0**-powers
    matrix[np.arange(M), rng.permutation(M) if rng.random() < 0.3 else np.arange(M)] = 1
    return _given(matrix)


def _rank_1(rng: Random, M: int) -> Medium:
    return _given(np.tile(rng.dirichlet(np.full(M, 0.5)), (M, 1)))


def _circulant(rng: Random, M: int) -> Medium:
    row = rng.dirichlet(np.full(M, 0.5))
    row[0] += rng.choice([0, 1, 30])
    row /= row.sum()
    return Medium(np.array([np.roll(row, i) for i in range(M)]), "circulant")


def _mirrored(rng: Random, M: int) -> Medium:
    matrix = _rows(rng, M)
    return _given(matrix + matrix[::-1, ::-1])


def _snr(rng: Random) -> int:
    return int(rng.choice([-300, -60, -20, -5, 0, 3, 6, 10, 15, 20, 30, 60, 300]))


def _fsk(rng: Random, M: int) -> Medium:
    return fsk(max(M, 2), es_n0_db=min(_snr(rng), 60), coherent=bool(rng.random() < 0.5))


def _cascade(rng: Random, M: int) -> Medium:
    parts = [_mirrored, _tiny, _zeros, lambda rng, M: psk(M, es_n0_db=_snr(rng))]
    order = max(M, 2)
    first, second = (parts[k](rng, order) for k in rng.integers(len(parts), size=2))
    both: Medium = first @ second
    return both


def _zeros(rng: Random, M: int) -> Medium:
    matrix = rng.dirichlet(np.full(M, 0.3), M) * (rng.random((M, M)) < 0.6)
    matrix[np.arange(M), np.arange(M)] += np.where(matrix.sum(axis=1) > 0, rng.choice([0, 1]), 1)
    return _given(matrix)


def _bits(rng: Random, M: int) -> Medium:
    kind = (binary_symmetric, binary_erasure, z_channel)[rng.integers(3)]
    p = str(rng.choice(["0", "1e-300", "1e-12", "0.1", "0.5", "0.999", "1"]))
    return kind(5 if M == 32 else 4 if M == 16 else min(M, 3), p, labels=str(rng.choice(["natural", "gray"])))  # type: ignore[arg-type]


def _unused(rng: Random, M: int) -> Medium:
    """Some outputs never come."""
    matrix = _rows(rng, M) + 1e-3
    matrix[:, rng.permutation(M)[: M // 3]] = 0
    return _given(matrix)


KINDS: dict[str, Callable[[Random, int], Medium]] = {
    "near singular": _near_singular,
    "singular": _singular,
    "duplicate columns": lambda rng, M: _alike(rng, M, 1),
    "duplicate rows": lambda rng, M: _alike(rng, M, 0),
    "tiny entries": _tiny,
    "permutation": lambda rng, M: Medium(np.eye(M)[rng.permutation(M)], "permutation"),
    "rank 1": _rank_1,
    "identity": lambda rng, M: _given(np.eye(M) + rng.choice([0, 1e-300, 1e-16, 1e-6]) * rng.random((M, M))),
    "circulant": _circulant,
    "mirrored": _mirrored,
    "PSK": lambda rng, M: psk(max(M, 2), es_n0_db=_snr(rng)),
    "PAM": lambda rng, M: pam(max(M, 2), es_n0_db=_snr(rng)),
    "QAM": lambda rng, M: qam(16 if M > 8 else 4, es_n0_db=_snr(rng)),
    "FSK": _fsk,
    "rounding": lambda rng, M: rounding(M, int(rng.integers(1, M + 1)), to=rng.choice(["nearest", "below", "random"])),
    "cascade": _cascade,
    "zeros": _zeros,
    "bits": _bits,
    "symmetric": lambda rng, M: symmetric_channel(max(M, 2), float(rng.choice([0, 1e-300, 1e-9, 0.3, 0.9, 1]))),
    "unused outputs": _unused,
}
