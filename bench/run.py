"""Run every benchmark and write the table of bench/README.md.

With arguments, which go to pytest (`-k memory`), only those cases are run, and the table is printed instead.
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from table import Outcome, page, written_between

FOLDER = Path(__file__).parent
README = FOLDER / "README.md"


@dataclass(eq=False)  # pytest keeps its plugins in a set
class Troubles:
    """A pytest plugin that remembers why a case, or a whole file of them, was not measured."""

    reasons: dict[str, str] = field(default_factory=dict)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.skipped:
            self.reasons[report.nodeid] = str(report.longrepr[-1])
        elif report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            last_line = str(report.longrepr).splitlines()[-1].removeprefix("E").strip()
            self.reasons[report.nodeid] = crash.message if crash else last_line


def main(arguments: list[str]) -> int:
    """Measure, then write or print; 1 if a case could not be measured. A missed target is no failure."""
    troubles = Troubles()
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.json"
        code = pytest.main(
            [
                str(FOLDER),
                f"--benchmark-json={results}",
                f"--basetemp={folder}/files",
                "--benchmark-quiet",
                "--continue-on-collection-errors",
                "-p",
                "no:cacheprovider",
                "--override-ini=pythonpath=bench",
                # The tests of hushcount turn warnings into errors, which must not apply to the peers.
                "-Wdefault",
                *arguments,
            ],
            plugins=[troubles],
        )
        if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED):
            return int(code)
        measured = json.loads(results.read_text()) if results.exists() else {}
    outcome = Outcome(measured, troubles.reasons)
    if arguments:
        print(page(outcome))
    else:
        README.write_text(written_between(README.read_text(), page(outcome)))
    return 1 if troubles.reasons else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
