"""`hushcount plot sweep`: the table of a sweep as curves."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any

import typer

from hushcount.cli.plot.options import SIZE, Output, Picture, Scale, Size, Title
from hushcount.errors import InvalidParameter

__all__ = ["sweep"]


def sweep(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A .csv or .parquet table that hushcount sweep wrote.")],
    output: Output,
    x: Annotated[
        str | None,
        typer.Option(
            "--x",
            metavar="COLUMN",
            help="What the x axis shows: epsilon, es_n0_db, eb_n0_db, p, n, delta or multiple. If left out, "
            "the first of these that has most values.",
        ),
    ] = None,
    y: Annotated[
        str,
        typer.Option(
            "--y",
            metavar="COLUMN",
            help="What the y axis shows: upper (the certified chance to be wrong), absolute_error; without a medium "
            "squared_error, bias, within_1, needs_epsilon_upper, needs_delta_upper; behind one gap.",
        ),
    ] = "upper",
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="COLUMN=VALUE",
            help="Only rows with this value, such as n=7 or mechanism=nearest. May be repeated.",
        ),
    ] = None,
    scale: Scale = "linear",
    title: Title = None,
    size: Size = SIZE,
) -> str:
    """Draw the table of a sweep: a curve for each combination of what varies beside the x axis, at most 11.

    Example: hushcount plot sweep sweep.parquet --x n --output sweep.png
    """
    from hushcount.figures import plot_sweep, read_sweep

    picture = Picture.of(output, size, title, file)
    rows = _kept(read_sweep(file), only or [])
    return picture.draw(plot_sweep, rows, x=x, y=y, scale=scale)


def _kept(rows: Any, conditions: list[str]) -> list[Any]:
    """The rows with the values that are asked for.

    Raises:
        InvalidParameter: no such column, or none is left.
    """
    for condition in conditions:
        column, _, value = condition.partition("=")
        columns = [field.name for field in fields(rows[0].point)]
        if column not in columns:
            raise InvalidParameter("only", condition, f"COLUMN=VALUE, with one of the columns {', '.join(columns)}")
        rows = [row for row in rows if _spelled(getattr(row, column)) == _spelled(value)]
        if not rows:
            raise InvalidParameter("only", condition, "such that a row is left")
    return list(rows)


def _spelled(value: object) -> str:
    """Numbers as `exact_text` has them, so that 1/2 is 0.5; other texts as they are, None empty."""
    from hushcount.exact import exact, exact_text

    text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    try:
        return exact_text(exact(text))
    except InvalidParameter:
        return text
