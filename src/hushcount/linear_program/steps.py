"""A limit in steps, never in seconds, so that the same call gives the same bytes on a quiet machine and on a busy one.

Simplex counts its iterations. An iteration of interior point may take a millisecond or minutes: the basis that
preconditions its linear systems is built by many exchanges, and each system is solved in many rounds. Crossover has no
iterations at all. But before each such exchange, round or push HiGHS asks whether to stop, and these questions are
counted here.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

__all__ = ["ran_within"]


def ran_within(highs: Any, allowed: int) -> bool:
    """Return whether HiGHS, told to use interior point, ended within so many steps; otherwise stop it there."""
    import highspy

    steps = _Steps(allowed)
    highs.setCallback(steps, None)
    highs.startCallback(highspy.cb.HighsCallbackType.kCallbackIpmInterrupt)
    try:
        with _signals_later():
            highs.run()
    finally:
        highs.setCallback(None, None)
    return steps.left > 0


class _Steps:
    """A counter that HiGHS asks before each step."""

    def __init__(self, left: int) -> None:
        self.left = left

    def __call__(self, kind: Any, message: str, told: Any, answer: Any, data: Any) -> None:
        self.left = max(0, self.left - 1)
        answer.user_interrupt = self.left == 0


@contextmanager
def _signals_later() -> Iterator[None]:
    """Delay the signals that Python handles until after this.

    HiGHS takes an exception in a callback for a failure of the model: Ctrl-C would not end the command, and would
    change its answer.
    """
    if threading.current_thread() is not threading.main_thread():  # where Python handles no signals
        yield
        return
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)

    handlers = {each: handler for each in signal.valid_signals() if callable(handler := signal.getsignal(each))}
    for each in handlers:
        signal.signal(each, note)
    try:
        yield
    finally:
        for each, handler in handlers.items():
            signal.signal(each, handler)
        for number in came:
            signal.raise_signal(number)
