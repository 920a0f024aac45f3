"""`hushcount plot mechanism`: a mechanism as a heat map."""

from __future__ import annotations

from hushcount.cli.options.picture import Canvas, OneMechanism, Scale

__all__ = ["mechanism"]


def mechanism(canvas: Canvas, which: OneMechanism, scale: Scale = "linear") -> str:
    """Draw the matrix of a mechanism as a heat map.

    Rows are true counts, columns are released counts. At most 1,024 outcomes. Hatched cells are exactly 0. For n up to
    8 the probabilities are written into the cells.

    Example: hushcount plot mechanism --n 7 --epsilon 0.5 --output nearest.png
    """
    from hushcount.figures import plot_mechanism

    picture = canvas.picture(which.matrix)
    shown = which.chosen()
    return picture.about(which.matrix, shown.n).draw(plot_mechanism, shown, scale=scale)
