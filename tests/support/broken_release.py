"""The command `release`, or `plan run`, with something befalling it before or after one of its steps.

In a process of its own, with nothing in the package that knows of it.
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from forked import Ended, ended

from hushcount.cli import entry, main
from hushcount.counting import OpenTable
from hushcount.ledger import Ledger
from hushcount.mechanisms import nearest
from hushcount.plan import carried_out

STEPS: dict[str, tuple[Any, str]] = {
    "open": (OpenTable, "__init__"),
    "count rows": (OpenTable, "count_rows"),
    "charge": (Ledger, "charge"),
    "evaluate": (OpenTable, "tally"),
    "draw": (type(nearest(1, 1)), "draw"),
    "store": (Ledger, "deliver"),
    "output": (entry, "_print"),
}
"""In their order."""

PLAN_STEPS: dict[str, tuple[Any, str]] = {
    "open": STEPS["open"],
    "count rows": STEPS["count rows"],
    "charge all": (Ledger, "charge_all"),
    "evaluate": STEPS["evaluate"],
    "draw": STEPS["draw"],
    "store": STEPS["store"],
    "write": (carried_out, "write_whole"),
    "sync": (os, "fsync"),
    "output": STEPS["output"],
}
"""Those of a plan, in their order; what is done for each release befalls the first."""

NOBODY = 65534


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def fill_the_disk() -> None:
    """From now on no file of this process can grow past two pages, not even a journal."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))


def become_nobody() -> None:
    """Whom the mode of a file concerns."""
    if os.geteuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)


FATES: dict[str, Callable[[], None]] = {
    "kill": kill,
    "interrupt": interrupt,
    "full disk": fill_the_disk,
    "nobody": become_nobody,
}


def befall(step: str, when: str, fate: str) -> None:
    owner, name = (STEPS | PLAN_STEPS)[step]
    original = getattr(owner, name)

    @wraps(original)
    def broken(*args: Any, **kwargs: Any) -> Any:
        if when == "before":
            FATES[fate]()
        result = original(*args, **kwargs)
        if when == "after":
            FATES[fate]()
        return result

    setattr(owner, name, broken)


def broken(step: str, when: str, fate: str, arguments: Sequence[str]) -> Ended:
    """What the command leaves if a fate befalls it before or after a step."""
    return ended(_broken, step, when, fate, arguments)


def _broken(step: str, when: str, fate: str, arguments: Sequence[str]) -> int:
    befall(step, when, fate)
    return main(arguments)
