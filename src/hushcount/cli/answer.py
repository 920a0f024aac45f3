"""What a subcommand hands to `entry.main`: its answer as text or JSON, and what else belongs to it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from hushcount._version import __version__

__all__ = ["Answer", "json_text"]


@dataclass(frozen=True)
class Answer:
    """Text for standard output, with the exit code and a note for standard error once it is written."""

    text: str
    code: int = 0
    note: str = ""


def json_text(answer: Mapping[str, object]) -> str:
    """Return an answer in JSON, with the version that gave it."""
    return json.dumps({**answer, "hushcount_version": __version__}, indent=2, allow_nan=False) + "\n"
