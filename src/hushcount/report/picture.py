"""The picture of a page: a line for each count, as SVG as wide as its column, with texts of one size on every screen.

So places from left to right are percentages, and the page leaves room at both ends for what stands out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hushcount.figures.scale import scale_top
from hushcount.figures.style import COLOURS
from hushcount.reading.confidence import Ranges
from hushcount.words.markup import escaped
from hushcount.words.printable import shortened

__all__ = ["Line", "is_beyond", "pictures"]

_EACH, _FOOT = 34, 24
"""The heights of a line and of the numbers below."""

_TOGETHER = 12
"""The lines of one picture: more than these are broken into several, which paper cannot do."""

_LONGEST, _MOST_TICKS = 34, 5
_NEAR_END = 93
"""From here on, in percent, a number of the axis ends at its tick, so that it is not cut off."""


@dataclass(frozen=True)
class Line:
    """One released count.

    Attributes:
        name: of its cell.
        released: the count; an arrow where it is beyond the scale.
        spans: its confidence set; empty where there is none.
    """

    name: str
    released: int
    spans: Ranges = ()

    @property
    def highest(self) -> int:
        """The largest count that is drawn."""
        return max(self.released, *(most for _, most in self.spans), 0)


def pictures(lines: Sequence[Line], top: int, alternative: str, *, has_other: bool = False) -> Iterator[str]:
    """Yield pictures of the lines on one scale from 0, each small enough for a page of paper.

    Args:
        top: the largest possible count; the scale ends there if that is at most half beyond what is drawn.
        alternative: what is said where no picture is seen.
        has_other: whether the last line is that of all other keys, which may be beyond the scale (`scale_top`).
    """
    highest = max(_scale_top(lines, has_other), 1)
    is_near = 2 * top <= 3 * highest
    step = _step(top if is_near else highest)
    end = max(top, 1) if is_near else -(-highest // step) * step
    each = -(-len(lines) // -(-len(lines) // _TOGETHER))  # as many in each, so that none is left alone
    for first in range(0, len(lines), each):
        yield _picture(lines[first : first + each], end, step, alternative)


def is_beyond(lines: Sequence[Line], has_other: bool) -> bool:
    """Return whether the last line is beyond the scale."""
    return lines[-1].released > _scale_top(lines, has_other)


def _scale_top(lines: Sequence[Line], has_other: bool) -> int:
    return scale_top([line.highest for line in lines], lines[-1].released if has_other else None)


def _step(end: int) -> int:
    """Return a step of 1, 2 or 5 times a power of ten that gives at most five ticks after 0."""
    step, factors = 1, (2, 5, 10)
    while end > _MOST_TICKS * step:
        power = 10 ** (len(str(step)) - 1)
        step = next(factor * power for factor in factors if factor * power > step)
    return step


def _picture(lines: Sequence[Line], end: int, step: int, alternative: str) -> str:
    height = _EACH * len(lines) + _FOOT
    marks = [*_axis(end, step, height), *(mark for row, line in enumerate(lines) for mark in _marks(line, row, end))]
    return (
        f'<svg width="100%" height="{height}" role="img" aria-label="{escaped(alternative)}" '
        'font-family="inherit" font-size="13" fill="#1a1a1a">\n' + "".join(f"{mark}\n" for mark in marks) + "</svg>\n"
    )


def _at(count: float, end: int) -> str:
    return f"{round(100 * min(max(count / end, 0), 1), 2)}%"


def _axis(end: int, step: int, height: int) -> Iterator[str]:
    below = height - _FOOT
    for count in range(0, end + 1, step):
        x = _at(count, end)
        anchor = "start" if count == 0 else "end" if 100 * count >= _NEAR_END * end else "middle"
        yield f'<line x1="{x}" y1="0" x2="{x}" y2="{below + 4}" stroke="#c4c4c4" stroke-width="0.8"/>'
        yield f'<text x="{x}" y="{below + 18}" text-anchor="{anchor}" font-size="12">{count:,}</text>'


def _marks(line: Line, row: int, end: int) -> Iterator[str]:
    y = _EACH * row
    around = 'paint-order="stroke" stroke="#fff" stroke-width="4"'
    yield f'<text x="0" y="{y + 13}" {around}>{escaped(shortened(line.name, _LONGEST))}</text>'
    yield f'<text x="100%" y="{y + 13}" text-anchor="end" font-weight="600" {around}>{line.released:,}</text>'
    if line.released > end:
        yield f'<svg x="100%" y="{y + 23.5}" overflow="visible"><path d="M-9 -5l9 5l-9 5z" fill="{COLOURS[0]}"/></svg>'
        return
    for least, most in line.spans:
        left, right = _at(least, end), _at(most, end)
        for first, last, up in ((left, right, 0), (left, left, 6.5), (right, right, 6.5)):
            ends = f'x1="{first}" y1="{y + 23.5 - up}" x2="{last}" y2="{y + 23.5 + up}"'
            yield f'<line {ends} stroke="{COLOURS[1]}" stroke-width="2"/>'
    around = 'stroke="#fff" stroke-width="1"'
    yield f'<circle cx="{_at(line.released, end)}" cy="{y + 23.5}" r="4" fill="{COLOURS[0]}" {around}/>'
