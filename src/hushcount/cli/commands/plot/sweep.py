"""`hushcount plot sweep`: the table of a sweep as curves."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any

from hushcount.cli.options.groups import QUESTION, SOURCE
from hushcount.cli.options.picture import Canvas, Scale
from hushcount.errors import BadData, InvalidParameter

__all__ = ["sweep"]


def sweep(
    file: Annotated[str, SOURCE.argument(metavar="FILE", help="A .csv or .parquet table that hushcount sweep wrote.")],
    canvas: Canvas,
    x: Annotated[
        str | None,
        QUESTION.option(
            "--x",
            metavar="COLUMN",
            help="What the x axis shows: epsilon, es_n0_db, eb_n0_db, p, n, delta, mu, rho or multiple. By default, "
            "the one of these with the most values.",
        ),
    ] = None,
    y: Annotated[
        str,
        QUESTION.option(
            "--y",
            metavar="COLUMN",
            help="What the y axis shows: upper (the certified chance to be wrong) or absolute_error; without a medium "
            "also squared_error, bias, within_1, needs_epsilon_upper or needs_delta_upper (in mu needs_mu_upper); "
            "behind a medium also gap (0 where that is proved, which a logarithmic scale leaves out), "
            "medium_error_probability, l, u0 or least_bound.",
        ),
    ] = "upper",
    only: Annotated[
        list[str] | None,
        QUESTION.option(
            "--only",
            metavar="COLUMN=VALUE",
            help="Only rows with this value, or one of several, such as n=7 or mechanism=nearest,canonical. May be "
            "repeated: a row must match each column that is named, by any of the values given for it.",
        ),
    ] = None,
    scale: Scale = "linear",
) -> str:
    """Draw the table of a sweep as curves.

    Draws one curve for each combination of the other columns that vary: at most 11, or at most 8 behind a medium
    against epsilon. --only selects fewer.

    Example: hushcount plot sweep sweep.parquet --x n --output sweep.png
    """
    from hushcount.figures import plot_sweep
    from hushcount.sweeps import read_sweep

    picture = canvas.picture(file)
    try:
        found = read_sweep(file)
    except InvalidParameter as error:
        raise InvalidParameter("FILE", error.value, error.rule) from None
    if not found:
        raise BadData(f"{file}: a table without a row")
    rows = _kept(found, only or [])
    return picture.draw(plot_sweep, rows, x=x, y=y, scale=scale)


def _kept(rows: Any, conditions: list[str]) -> list[Any]:
    """Return the rows with the values asked for: each column that is named must have one of the values named for it.

    Raises:
        InvalidParameter: there is no such column, no row has a value, or no row is left.
    """
    allowed: dict[str, set[str]] = {}
    for condition in conditions:
        column, _, values = condition.partition("=")
        columns = [field.name for field in fields(rows[0].point)]
        if column not in columns:
            raise InvalidParameter("only", condition, f"COLUMN=VALUE, with one of the columns {', '.join(columns)}")
        found = {_spelled(getattr(row, column)) for row in rows}
        asked = {_spelled(value.strip(" ")) for value in values.split(",")}
        if not asked <= found:
            raise InvalidParameter("only", condition, f"with values of that column: {_listed(found)}")
        allowed.setdefault(column, set()).update(asked)
    kept = [row for row in rows if all(_spelled(getattr(row, name)) in values for name, values in allowed.items())]
    if not kept:
        raise InvalidParameter("only", ", ".join(conditions), "such that a row is left")
    return kept


_MOST_LISTED = 12


def _listed(found: set[str]) -> str:
    """Return values for people to choose from, shortened where there are very many."""
    told = sorted(found, key=lambda text: (len(text), text))
    return ", ".join(text or "(empty)" for text in told[:_MOST_LISTED]) + (", ..." if len(told) > _MOST_LISTED else "")


def _spelled(value: object) -> str:
    """Return a number as `exact_text` has it, so that 1/2 is 0.5; other texts as they are, None empty."""
    from hushcount.numbers.exact import exact, exact_text

    text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    try:
        return exact_text(exact(text))
    except InvalidParameter:
        return text
