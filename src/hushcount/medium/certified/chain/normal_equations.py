"""The Newton step of an interior point on a chain of rows: block tridiagonal equations.

With weights W = z / s of the constraints (`interior_point`), the equations in the step dP are

    W0_i dP_i + [r* (Q r(dS)) + D' W1 D dS]_i T' + dnu_i 1 = f_i,   1 . dP_i = g_i,   dS = dP T,

where r is the excess of links, r* its adjoint, D takes the entries of S
that have a lower limit, and Q is what is left of a link when its slacks
sigma are eliminated. For delta = 0 that is diag(W2). Otherwise sigma has the Hessian diag(W2 + W3) + W4 1 1', whose
inverse is diag(k) - (W4 / (1 + W4 sum k)) k k' with k = 1 / (W2 + W3), and

    Q = diag(W2 W3 k) + c v v',   v = W2 k,   c = W4 / (1 + W4 sum k).

A link couples a row with the next one only, so the matrix has blocks of M x M on the diagonal and beside it. Each is
scaled to a unit diagonal and factored after what its forerunner passes on; the multiplier nu_i of its row sum is
eliminated with it. The column of t, -T D' W1 share, is solved for once and closes the system as a border.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hushcount.medium.certified.chain.program import ChainProgram
from hushcount.numbers.arrays import Floats

__all__ = ["NormalEquations", "NotPositive", "Right", "Step", "Weights"]

_REGULARIZED = (0.0, 1e-14, 1e-12, 1e-10, 1e-8)
"""What is added to the unit diagonal of a block until it is positive definite; refinement makes up for it."""


_REFINEMENTS = 2
"""How often a step is corrected at most."""

_ACCURATE = 1e-12
"""The share of the right-hand sides that a step may leave over without being corrected."""

_SMALL = 32
"""Up to twice so many rows a triangular matrix is inverted like any other."""


class NotPositive(ArithmeticError):
    """A block is not positive definite in floats: no further step is to be had."""


@dataclass(frozen=True)
class Step:
    """A change of P, t, the slacks of links (None where delta = 0) and the multipliers of row sums."""

    P: Floats
    t: float
    sigma: Floats | None
    nu: Floats

    def __add__(self, other: Step) -> Step:
        sigma = None if self.sigma is None or other.sigma is None else self.sigma + other.sigma
        return Step(self.P + other.P, self.t + other.t, sigma, self.nu + other.nu)


@dataclass(frozen=True)
class Right:
    """The right-hand sides: what acts on P by itself and through S, on t, on sigma, and the row sums."""

    P: Floats
    S: Floats
    t: float
    sigma: Floats | None
    sums: Floats


@dataclass(frozen=True)
class Weights:
    """z / s of the constraints, in the order of `interior_point`; the last two are None where delta = 0."""

    entries: Floats
    limits: Floats
    links: Floats
    slacks: Floats | None = None
    sums: Floats | None = None


class _Slacks:
    """The part of sigma, link by link, where delta > 0: k, v and c of the module."""

    def __init__(self, links: Floats, slacks: Floats, sums: Floats) -> None:
        self.links, self.slacks, self.sums = links, slacks, sums
        self.k = 1 / (links + slacks)
        self.v = links * self.k
        self.c = sums / (1 + sums * self.k.sum(axis=1))

    def solve(self, f: Floats) -> Floats:
        """Return the inverse of the Hessian of sigma, applied to f."""
        found: Floats = self.k * f
        found -= (self.c * found.sum(axis=1))[:, None] * self.k
        return found

    def applied(self, sigma: Floats) -> Floats:
        """Return W3 sigma + W4 1 1' sigma."""
        found: Floats = self.slacks * sigma + (self.sums * sigma.sum(axis=1))[:, None]
        return found


@dataclass(frozen=True)
class _Block:
    """A block A = D C C' D, D diagonal, with what it takes to solve with the row of ones beside it.

    Attributes:
        C, inverse: the lower factor, and its inverse.
        scale: the diagonal of D^-1.
        one: C^-1 D^-1 1.
    """

    C: Floats
    inverse: Floats
    scale: Floats
    one: Floats

    @classmethod
    def of(cls, block: Floats) -> _Block:
        """Factor a block.

        Raises:
            NotPositive: it is not positive definite, even with the most that is added.
        """
        scale = 1 / np.sqrt(np.maximum(np.diagonal(block), 1e-300))
        scaled = block * scale * scale[:, None]
        for added in _REGULARIZED:
            scaled[np.diag_indices(len(scaled))] += added
            try:
                C = np.asarray(np.linalg.cholesky(scaled), dtype=np.float64)
            except np.linalg.LinAlgError:
                continue
            inverse = _inverse(C)
            return cls(C, inverse, scale, _applied(C, inverse, scale))
        raise NotPositive

    def solve(self, f: Floats, g: float) -> tuple[Floats, float]:
        """Return x and nu with A x + nu 1 = f and 1 . x = g."""
        found = _applied(self.C, self.inverse, self.scale * f)
        nu = float((self.one @ found - g) / (self.one @ self.one))
        return self.scale * _applied(self.C.T, self.inverse.T, found - nu * self.one), nu

    def passed_on(self, E: Floats) -> Floats:
        """Return E' X, X being the solution for the columns of E with row sums of 0."""
        half = _applied(self.C, self.inverse, E * self.scale[:, None])
        along = self.one @ half
        found: Floats = half.T @ half - np.outer(along, along) / (self.one @ self.one)
        return found


def _applied(C: Floats, inverse: Floats, f: Floats) -> Floats:
    """Return C^-1 f as accurately as by substitution: by an inverse in floats, and once more for what it leaves."""
    found: Floats = inverse @ f
    return found + inverse @ (f - C @ found)


def _inverse(C: Floats) -> Floats:
    """Return the inverse of a lower triangular matrix, by halves."""
    if (half := len(C) // 2) < _SMALL:
        return np.asarray(np.linalg.inv(C), dtype=np.float64)
    found = np.zeros_like(C)
    first, last = _inverse(C[:half, :half]), _inverse(C[half:, half:])
    found[:half, :half], found[half:, half:] = first, last
    found[half:, :half] = -last @ (C[half:, :half] @ first)
    return found


class NormalEquations:
    """The equations at one iterate, factored.

    Raises:
        NotPositive: rounding has made a block indefinite.
    """

    def __init__(self, program: ChainProgram, weights: Weights) -> None:
        self.program, self.weights = program, weights
        W, limits = weights, program.limits
        self._slacks = None if W.slacks is None or W.sums is None else _Slacks(W.links, W.slacks, W.sums)
        self._blocks: list[_Block] = []
        self._beside: list[Floats] = []
        self._factor()
        pulled = np.zeros((program.rows, program.columns))
        limits.add(pulled, -W.limits * limits.shares)
        self._border: Floats = pulled @ program.T.T
        self._of_t = self._solved(self._border, np.zeros(program.rows))
        self._t = float(W.limits @ limits.shares**2) - float(np.vdot(self._border, self._of_t[0]))

    def solve(self, right: Right) -> Step:
        """Return the step, refined against the equations before elimination where that is of use."""
        found, enough = self._direct(right), _ACCURATE * self._size(right)
        for _ in range(_REFINEMENTS):
            left_over = self._left_over(found, right)
            if self._size(left_over) <= enough:
                break
            found = found + self._direct(left_over)
        return found

    def _size(self, right: Right) -> float:
        """Return the largest right-hand side in what P has to do with."""
        together = right.P + right.S @ self.program.T.T
        return max(float(np.abs(together).max()), float(np.abs(right.sums).max()), abs(right.t))

    def _left_over(self, step: Step, right: Right) -> Right:
        """Return what a step leaves of the right-hand sides."""
        program, W, limits = self.program, self.weights, self.program.limits
        S = step.P @ program.T
        excess = program.excess(S)
        pressed = W.links * (excess if step.sigma is None else excess - step.sigma)
        lowered = W.limits * (step.t * limits.shares - limits.of(S))
        through = right.S - program.pulled_back(pressed)
        limits.add(through, lowered)
        sigma = None
        if self._slacks is not None and right.sigma is not None and step.sigma is not None:
            sigma = right.sigma + pressed - self._slacks.applied(step.sigma)
        own = right.P - W.entries * step.P - step.nu[:, None]
        return Right(own, through, right.t - float(lowered @ limits.shares), sigma, right.sums - step.P.sum(axis=1))

    def _direct(self, right: Right) -> Step:
        """Return the step, as elimination gives it."""
        program, links, slacks, through = self.program, self.weights.links, self._slacks, right.S
        if slacks is not None and right.sigma is not None:
            through = through + program.pulled_back(links * slacks.solve(right.sigma))
        P, nu = self._solved(right.P + through @ program.T.T, right.sums)
        of_t, nu_of_t = self._of_t
        t = (right.t - float(np.vdot(self._border, P))) / self._t
        P, nu, sigma = P - t * of_t, nu - t * nu_of_t, None
        if slacks is not None and right.sigma is not None:
            sigma = slacks.solve(right.sigma + links * program.excess(P @ program.T))
        return Step(P, t, sigma, nu)

    def _factor(self) -> None:
        program, q, last, slacks = self.program, self.program.q, self.program.rows - 1, self._slacks
        T, plain = program.seen, self.weights.links
        if slacks is not None:
            plain = plain * slacks.slacks * slacks.k
        squares = program.pulled_back(plain, q=q * q, sign=1.0)
        program.limits.add(squares, self.weights.limits)
        across = -q * (plain[:last] + plain[last : 2 * last])
        pulls = None if slacks is None else np.sqrt(slacks.c)[:, None] * (slacks.v @ T.T)
        passed: Floats | float = 0.0
        for i in range(program.rows):
            root = T * np.sqrt(squares[i])
            block = root @ root.T
            if program.is_halved and i == last:
                turned = (T * (q * plain[-1])) @ T[:, ::-1].T
                block -= turned + turned.T
            if slacks is not None and pulls is not None:
                outer = np.array(list(self._pulls_of_row(i, pulls, slacks)))
                block += outer.T @ outer
            block[np.diag_indices(len(block))] += self.weights.entries[i]
            self._blocks.append(_Block.of(block - passed))
            if i < last:
                beside = (T * across[i]) @ T.T
                if pulls is not None:
                    both = pulls[[i, last + i]]
                    beside -= q * (both.T @ both)
                self._beside.append(beside)
                passed = self._blocks[i].passed_on(beside)

    def _pulls_of_row(self, i: int, pulls: Floats, slacks: _Slacks) -> Iterator[Floats]:
        """Yield the vectors whose squares the common slacks of links add to the block of a row.

        Args:
            pulls: sqrt(c) T v, link by link.
        """
        q, last = self.program.q, self.program.rows - 1
        if i < last:
            yield q * pulls[i]
            yield pulls[last + i]
        if i > 0:
            yield pulls[i - 1]
            yield q * pulls[last + i - 1]
        if self.program.is_halved and i == last:
            turned = self.program.T @ slacks.v[-1, ::-1]
            yield q * pulls[-1] - np.sqrt(slacks.c[-1]) * turned

    def _solved(self, f: Floats, g: Floats) -> tuple[Floats, Floats]:
        """Return the solution for one right-hand side of rows and row sums, without t."""
        x, nu, last = np.empty_like(f), np.empty_like(g), self.program.rows - 1
        for i in range(last + 1):
            right = f[i] if i == 0 else f[i] - self._beside[i - 1] @ x[i - 1]
            x[i], nu[i] = self._blocks[i].solve(right, g[i])
        for i in range(last - 1, -1, -1):
            less, less_nu = self._blocks[i].solve(self._beside[i] @ x[i + 1], 0.0)
            x[i] -= less
            nu[i] -= less_nu
        return x, nu
