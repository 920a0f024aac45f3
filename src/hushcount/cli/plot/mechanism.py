"""`hushcount plot mechanism`: a mechanism as a heat map."""

from __future__ import annotations

from hushcount.cli.plot.options import (
    SIZE,
    Count,
    Matrix,
    MechanismName,
    OptionalDelta,
    OptionalEpsilon,
    Output,
    Picture,
    Scale,
    Size,
    Title,
    chosen,
)

__all__ = ["mechanism"]


def mechanism(
    output: Output,
    n: Count = None,
    epsilon: OptionalEpsilon = None,
    delta: OptionalDelta = None,
    name: MechanismName = None,
    matrix: Matrix = None,
    scale: Scale = "linear",
    title: Title = None,
    size: Size = SIZE,
) -> str:
    """Draw the matrix of a mechanism as a heat map: rows are true counts, columns released ones.

    Up to 1,024 outcomes. Hatched cells are exactly 0; up to n = 8 the probabilities are written into the cells.

    Example: hushcount plot mechanism --n 7 --epsilon 0.5 --output nearest.png
    """
    from hushcount.figures import plot_mechanism

    picture = Picture.of(output, size, title, *([] if matrix is None else [matrix]))
    shown = chosen(name, matrix, n, epsilon, delta)
    return picture.about(matrix, shown.n).draw(plot_mechanism, shown, scale=scale)
