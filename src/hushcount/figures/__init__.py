"""Pictures: functions that draw into axes and return them, and files. They need matplotlib (the extra `figures`)."""

from hushcount.figures.errors import plot_errors
from hushcount.figures.mechanism import plot_mechanism
from hushcount.figures.medium import MediumCurve, medium_curve, plot_medium
from hushcount.figures.output import save_figure
from hushcount.figures.profile import plot_privacy_profile
from hushcount.figures.rows import plot_rows
from hushcount.figures.shared_entries import plot_shared_entries
from hushcount.figures.sweep import plot_sweep, read_sweep
from hushcount.figures.tradeoff import plot_tradeoff

__all__ = [
    "MediumCurve",
    "medium_curve",
    "plot_errors",
    "plot_mechanism",
    "plot_medium",
    "plot_privacy_profile",
    "plot_rows",
    "plot_shared_entries",
    "plot_sweep",
    "plot_tradeoff",
    "read_sweep",
    "save_figure",
]
