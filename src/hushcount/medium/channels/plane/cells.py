"""Nearest-point decisions in the plane, in exact arithmetic.

Let d be the way from a point p to another one, and y = 2 d / |d|^2. What is at z, seen from p, is nearer to p iff
z . y <= 1. So the cell of p is the polar set of the convex hull of 0 and all y: the corners of the hull are its sides,
and two neighboring corners a and b, counterclockwise, meet in the vertex with z . a = z . b = 1 if a x b > 0, and
otherwise not at all (the cell is unbounded there). Points on one circle, whose cells share a vertex, have their y on
one line, and the inner ones of these are no corners.

A side is seen from a sent point at a height h, across an angle from atan(near) to atan(far), counted from the
perpendicular to the side's line. A cell that is seen in another place, turned or mirrored, is the same cell, and gives
the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from flint import fmpq

__all__ = ["Cell", "Point", "Sight", "cells", "sights"]

_ZERO = fmpq(0)


class Point(NamedTuple):
    """A point of the plane, or a way in it."""

    x: fmpq
    y: fmpq

    def __hash__(self) -> int:
        """Return a hash of the numerators: that of a rational in python-flint is slow."""
        return hash((self.x.p, self.y.p))

    def __sub__(self, other: Point) -> Point:
        return Point(self.x - other.x, self.y - other.y)

    def dot(self, other: Point) -> fmpq:
        return self.x * other.x + self.y * other.y

    def cross(self, other: Point) -> fmpq:
        return self.x * other.y - self.y * other.x


class Side(NamedTuple):
    """A side of a cell, counterclockwise, seen from the cell's point: z . normal = 1 between two vertices (None: at
    infinity)."""

    normal: Point
    start: Point | None
    end: Point | None


Cell = tuple[Side, ...]


class Sight(NamedTuple):
    """A side, or the part of it on one side of the foot of the perpendicular, as it is seen.

    Attributes:
        height: the square of the distance of the side's line.
        near, far: 0 <= near < far, the tangents of the angles; `far` is None at infinity.
    """

    height: fmpq
    near: fmpq
    far: fmpq | None

    def __hash__(self) -> int:
        """Return a hash of the numerators, as `Point` does."""
        return hash((self.height.p, self.near.p, self.far and self.far.p))


def cells(points: Sequence[Point]) -> list[Cell]:
    """Return the cell of each of some different points."""
    return [_cell(other - point for other in points if other != point) for point in points]


def _cell(ways: Iterable[Point]) -> Cell:
    """Return the cell of a point from the ways to all others."""
    poles = (Point(2 * d.x / d.dot(d), 2 * d.y / d.dot(d)) for d in ways)
    corners = [corner for corner in _hull([Point(_ZERO, _ZERO), *poles]) if corner.x or corner.y]
    vertices = [_vertex(a, b) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]
    return tuple(map(Side, corners, vertices[-1:] + vertices[:-1], vertices))


def _vertex(a: Point, b: Point) -> Point | None:
    area = a.cross(b)
    return Point((b.y - a.y) / area, (a.x - b.x) / area) if area > 0 else None


def _hull(points: list[Point]) -> list[Point]:
    """Return the corners of the convex hull of different points, counterclockwise (Andrew's monotone chain)."""
    ordered = sorted(points)
    return ordered if len(ordered) == 1 else _lower(ordered) + _lower(ordered[::-1])


def _lower(ordered: list[Point]) -> list[Point]:
    """Return the corners of one chain of the hull but the last."""
    chain: list[Point] = []
    for point in ordered:
        while len(chain) > 1 and (chain[-1] - chain[-2]).cross(point - chain[-2]) <= 0:
            chain.pop()
        chain.append(point)
    return chain[:-1]


def sights(cell: Cell, sent: Point) -> tuple[tuple[int, Sight], ...]:
    """Return the sides of a cell as they are seen from a place, itself seen from the cell's point.

    Each comes with 1 where the cell begins there, and -1 where it ends. Their order does not depend on how the cell
    lies in the plane. A side seen edge-on is left out.
    """
    return tuple(sorted((seen for side in cell for seen in _seen(side, sent)), key=_order))


def _order(seen: tuple[int, Sight]) -> tuple[int, fmpq, fmpq, bool, fmpq]:
    sign, (height, near, far) = seen
    return (sign, height, near, far is None, far or _ZERO)


def _seen(side: Side, sent: Point) -> list[tuple[int, Sight]]:
    normal = side.normal
    offset = 1 - normal.dot(sent)
    if not offset:
        return []
    sign, height = (-1 if offset > 0 else 1), offset**2 / normal.dot(normal)

    def tangent(vertex: Point | None) -> fmpq | None:
        return None if vertex is None else normal.cross(vertex - sent) / abs(offset)

    first, last = tangent(side.start), tangent(side.end)
    if first is not None and first >= 0:
        return [(sign, Sight(height, first, last))]
    before = None if first is None else -first
    if last is not None and last <= 0:
        return [(sign, Sight(height, -last, before))]
    return [(sign, Sight(height, _ZERO, end)) for end in (before, last)]
