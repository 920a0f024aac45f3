"""Try the command on very many inputs, most of them bad, and report those that end as none may.

    python fuzz/run.py [--inputs 100000] [--seed 0] [--kind KIND ...] [--jobs 2]
    python fuzz/run.py --repeat KIND:SEED:NUMBER [--keep FOLDER]

No input may end with exit code 70, with exit code 1 where no check says no, in a traceback, a warning, or a process
that dies; nor take more than two minutes of processor time. An input is made from its kind, the seed and its number
alone, so that it is the same on every machine, and can be repeated.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from threading import Lock, Thread
from typing import IO

from designs import design_case, medium_case, plot_case, sweep_case
from programs import excel_case, statistical_case
from tables import arrow_case, csv_case, json_case, keys_case, parquet_case, predicate_case
from values import Case

from saved import audit_case, mechanism_case, receipt_case

KINDS = {
    "csv": (csv_case, 10),
    "json": (json_case, 4),
    "parquet": (parquet_case, 6),
    "arrow": (arrow_case, 4),
    "excel": (excel_case, 4),
    "statistical": (statistical_case, 4),
    "keys": (keys_case, 10),
    "predicate": (predicate_case, 12),
    "receipt": (receipt_case, 10),
    "mechanism": (mechanism_case, 8),
    "audit": (audit_case, 10),
    "design": (design_case, 6),
    "medium": (medium_case, 6),
    "sweep": (sweep_case, 4),
    "plot": (plot_case, 2),
}
"""What makes an input of each kind, and of how many in a hundred it is."""

TOLD = 5_000
"""Inputs between two reports of progress."""

WHEEL = [kind for kind, (_, share) in KINDS.items() for _ in range(share)]


def case_of(kind: str, seed: int, number: int) -> Case:
    return KINDS[kind][0](Random(f"{kind}:{seed}:{number}"))


def kind_of(number: int, kinds: list[str]) -> str:
    """Kinds take turns by their shares."""
    wheel = [kind for kind in WHEEL if not kinds or kind in kinds]
    return wheel[number * 37 % len(wheel)] if len(wheel) == len(WHEEL) else wheel[number % len(wheel)]


def work(seed: int, numbers: range, kinds: list[str], answers: IO[str]) -> None:
    """Say which input comes next, and what is wrong with it; for a process of its own, which some input may end."""
    from judged import faults, prepare

    prepare()
    for number in numbers:
        kind = kind_of(number, kinds)
        print(json.dumps([number, kind, None]), file=answers, flush=True)
        found = faults(case_of(kind, seed, number))
        print(json.dumps([number, kind, found]), file=answers, flush=True)


class Run:
    """A run over many inputs, with its count of them and its findings."""

    def __init__(self, seed: int, kinds: list[str], inputs: int, jobs: int) -> None:
        self.seed, self.kinds, self.inputs, self.jobs = seed, kinds, inputs, jobs
        self.done: Counter[str] = Counter()
        self.failed, self.telling = 0, Lock()
        self.began = time.monotonic()

    def all(self) -> int:
        """Run it; how many inputs failed."""
        threads = [Thread(target=self._share, args=(first,), daemon=True) for first in range(self.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return self.failed

    def _share(self, first: int) -> None:
        """Every jobs-th input, in one process after another."""
        while first < self.inputs:
            first = self._until_it_dies(first)

    def _until_it_dies(self, first: int) -> int:
        command = [sys.executable, __file__, "--work", f"{first}:{self.inputs}:{self.jobs}", "--seed", str(self.seed)]
        for kind in self.kinds:
            command += ["--kind", kind]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            number, kind = first, ""
            for line in process.stdout:
                number, kind, found = json.loads(line)
                if found is not None:
                    self._note(number, kind, found)
                    number += self.jobs
        if process.returncode == 0:
            return self.inputs
        self._note(number, kind, [f"the process died ({process.returncode})"])
        return number + self.jobs

    def _note(self, number: int, kind: str, found: list[str]) -> None:
        with self.telling:
            self.done[kind] += 1
            if found:
                self.failed += 1
                print(
                    f"{kind}: {'; '.join(found)}\n    python {sys.argv[0]} --repeat {kind}:{self.seed}:{number}",
                    flush=True,
                )
            if self.done.total() % TOLD == 0:
                took = time.monotonic() - self.began
                print(f"{self.done.total():,} of {self.inputs:,} after {took:,.0f} s", flush=True)

    def summary(self) -> str:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(self.done.items()))
        took = time.monotonic() - self.began
        return (
            f"{self.done.total():,} inputs ({kinds}), {self.failed:,} of them failed; seed {self.seed}; {took:,.0f} s"
        )


def repeat(name: str, keep: str | None) -> int:
    """Run one input again, and show it; whether it failed."""
    from judged import faults, prepare

    kind, seed, number = name.split(":")
    case = case_of(kind, int(seed), int(number))
    print("hushcount", shlex.join(case.arguments).encode("unicode_escape").decode())
    for file, content in case.files.items():
        print(f"{file}: {content[:2000]!r}")
        if keep is not None:
            Path(keep).mkdir(parents=True, exist_ok=True)
            Path(keep, file).write_bytes(content)
    prepare()
    found = faults(case)
    print("\n".join(found) or "as promised")
    return len(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", action="append", default=[], choices=sorted(KINDS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--repeat", metavar="KIND:SEED:NUMBER")
    parser.add_argument("--keep", metavar="FOLDER", help="with --repeat: write the input's files there")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.repeat is not None:
        return min(1, repeat(given.repeat, given.keep))
    if given.work is not None:
        first, inputs, jobs = map(int, given.work.split(":"))
        work(given.seed, range(first, inputs, jobs), given.kind, sys.stdout)
        return 0
    run = Run(given.seed, given.kind, given.inputs, given.jobs)
    failed = run.all()
    print(run.summary())
    return min(1, failed)


if __name__ == "__main__":
    sys.exit(main())
