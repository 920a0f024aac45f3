"""`hushcount paper`: the paper that this rests on, statement by statement."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Annotated

from hushcount.cli.answer import Answer, json_text
from hushcount.cli.exit_codes import SAYS_NO
from hushcount.cli.options.groups import OUTPUT, QUESTION
from hushcount.cli.options.output import Json
from hushcount.cli.progress import progress_bar
from hushcount.errors import BadUse, InvalidParameter
from hushcount.words.printable import printable

if TYPE_CHECKING:
    from hushcount.paper import Statement

__all__ = ["paper"]

_FORMATS = ("svg", "png", "pdf")


def paper(
    only: Annotated[
        list[str] | None,
        QUESTION.option(
            metavar="NAME",
            help='Only statements whose names begin with this, such as "Theorem 1", "u3" or "Fig. 2". May be repeated.',
            show_default="all",
        ),
    ] = None,
    output: Annotated[
        str, OUTPUT.option(metavar="FOLDER", help="The folder for figure-1 and figure-2; existing files are replaced.")
    ] = ".",
    form: Annotated[str, OUTPUT.option("--format", metavar="svg|png|pdf", help="The format of the figures.")] = "svg",
    as_json: Json = False,
) -> Answer:
    """Check every statement of the paper that this rests on.

    Also draws its figures. Each statement is checked against independent computations (all subsets of outcomes, linear
    programs, plain matrices), over a grid of parameters. Prints what was checked, on how many cases, the largest
    deviation, and the verdict: holds; corrected, if the paper needs a correction, with a counterexample to the printed
    statement; or FAILS. Exit code 0 means that none fails, 1 that one does. This takes about a minute of processor
    time. docs/paper-map.md says where each statement is in the code.

    Example: hushcount paper --only "Theorem 2"
    """
    from hushcount.paper import check_paper
    from hushcount.paper.registry import selected
    from hushcount.paper.text import report_text

    if form not in _FORMATS:
        raise InvalidParameter("format", form, f"one of {', '.join(_FORMATS)}")
    names = list(only or ())
    chosen = selected(names)
    wanted = _figures(chosen)
    left_out = _reason_to_leave_out() if wanted else None
    targets = {} if left_out else {name: _target(output, f"{name}.{form}") for name in wanted}
    steps = len(chosen) + len(targets)
    with progress_bar("steps") as show:
        report = check_paper(names, progress=lambda number, count, statement: show(number, steps, statement.name))
        for number, (name, target) in enumerate(targets.items()):
            show(len(chosen) + number, steps, name)
            _draw(name, target)
    code = 0 if report else SAYS_NO
    written = list(targets.values())
    if as_json:
        return Answer(json_text({**report.to_dict(), "figures": written, "figures_left_out": left_out}), code)
    lines = [report_text(report, shutil.get_terminal_size().columns)]
    if written:
        lines.append(f"Figures written: {', '.join(map(printable, written))}")
    if left_out:
        lines.append(f"Figures left out: {left_out}")
    return Answer("\n".join([*lines, ""]), code)


def _figures(chosen: tuple[Statement, ...]) -> list[str]:
    """Return the figures that statements belong to."""
    from hushcount.paper.drawing import FIGURES

    return [
        name for name, (start, _) in FIGURES.items() if any(statement.name.startswith(start) for statement in chosen)
    ]


def _reason_to_leave_out() -> str | None:
    from hushcount.figures.style import needs_matplotlib

    try:
        needs_matplotlib()
    except BadUse as reason:
        return str(reason)
    return None


def _target(folder: str, name: str) -> str:
    """Return the path of a figure, once it is known to be writable."""
    from hushcount.files.whole_files import checked_target

    path = os.path.join(folder, name)
    checked_target(path, "output")
    return path


def _draw(name: str, target: str) -> None:
    """Draw a figure, with the same look whatever the user's matplotlibrc says, and without messages from matplotlib."""
    import logging

    from hushcount.figures import save_figure
    from hushcount.figures.style import fixed_style
    from hushcount.paper.drawing import FIGURES
    from hushcount.paper.grid import FULL

    _, draw = FIGURES[name]
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    with fixed_style():
        save_figure(draw(FULL), target)
