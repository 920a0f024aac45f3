"""The command that the pictures stand under."""

from __future__ import annotations

import typer

from hushcount.cli.once import OnceCommand
from hushcount.cli.plot.errors import errors
from hushcount.cli.plot.mechanism import mechanism
from hushcount.cli.plot.medium import medium
from hushcount.cli.plot.optimal_set import optimal_set
from hushcount.cli.plot.privacy_profile import privacy_profile
from hushcount.cli.plot.rows import rows
from hushcount.cli.plot.sweep import sweep
from hushcount.cli.whole_help import WholeHelpGroup

__all__ = ["plot"]

plot = typer.Typer(name="plot", cls=WholeHelpGroup, rich_markup_mode=None, add_completion=False)


@plot.callback()
def _plot() -> None:
    """Draw a picture into a PNG, SVG or PDF file, without data.

    Curves are told apart by colour, dashes and markers, for the colour-blind and in grey too. Needs matplotlib: install
    hushcount with its extra figures.
    """


for _command in (mechanism, rows, errors, optimal_set, medium, privacy_profile, sweep):
    plot.command(_command.__name__.replace("_", "-"), cls=OnceCommand)(_command)
