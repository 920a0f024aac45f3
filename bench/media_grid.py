"""A grid of media: how narrow the certified interval is and what it takes, beside an older tree and cvxpy.

    python bench/media_grid.py --older OTHER_TREE [--peer PYTHON_WITH_CVXPY] [--order 8 16 ...]

Each point runs in a process of its own, one version after the other, so that processor times are of one machine in one
run. cvxpy solves the paper's plain formulation and certifies nothing; its column is the time alone. A row ends with the
width that is aimed at, and whether it was reached.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

AIMS = {32: 1e-9, 64: 1e-8, 128: 1e-7, 256: 1e-6}
PATIENCE = 300
"""Seconds after which a process is stopped."""

SMALL = [("0.05", "0"), ("0.05", "0.1"), ("0.5", "1e-6"), ("1", "0"), ("1", "0.01"), ("4", "0")]
POINTS = [
    *[("psk", 8, decibels, *promise) for decibels, promise in product((0, 6), SMALL)],
    *[("qam", 16, decibels, *promise) for decibels, promise in product((3, 12), SMALL)],
    *[("pam", 16, 10, *promise) for promise in SMALL],
    *[("psk", 32, decibels, *promise) for decibels, promise in product((0, 14), SMALL)],
    *[("pam", 32, 20, *promise) for promise in SMALL],
    *[("psk", 64, 14, *promise) for promise in SMALL],
    *[("pam", 64, decibels, *promise) for decibels, promise in ((0, ("0.05", "0")), (20, ("0.05", "0.1")))],
    *[("qam", 64, 14, *promise) for promise in SMALL],
    *[("psk", 128, 20, *promise) for promise in (("0.5", "0"), ("0.5", "1e-6"), ("1", "0.01"))],
    *[("psk", 128, 28, *promise) for promise in (("1", "0"),)],
    *[("psk", 256, decibels, "0.5", "0") for decibels in (26, 34)],
]

OURS = """
import json, resource, sys, time
try:
    from hushcount.medium import optimum, pam, psk, qam
except ImportError:
    from hushcount import optimum, pam, psk, qam
kind, order, decibels, epsilon, delta = sys.argv[1:]
T = {"psk": psk, "pam": pam, "qam": qam}[kind](int(order), es_n0_db=decibels)
start = time.process_time()
found = optimum(T, epsilon, delta)
used = time.process_time() - start
print(json.dumps({"width": found.upper - found.lower, "seconds": used, "lower": found.lower, "upper": found.upper,
                  "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000, "basis": found.basis.name}))
"""

THEIRS = """
import json, sys, time
sys.path.insert(0, {bench!r})
from test_medium import plain
from hushcount.medium import pam, psk, qam
kind, order, decibels, epsilon, delta = sys.argv[1:]
T = {{"psk": psk, "pam": pam, "qam": qam}}[kind](int(order), es_n0_db=decibels)
start = time.process_time()
found = plain(T.matrix, float(epsilon), float(delta), None)
print(json.dumps({{"seconds": None if found is None else time.process_time() - start}}))
"""


def measured(python: str, program: str, tree: Path, point: tuple[Any, ...]) -> dict[str, Any]:
    """Run a program for one point; nothing where it takes too long or fails."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "src"), "OPENBLAS_NUM_THREADS": "1"}
    command = [python, "-c", program, *map(str, point)]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=True, cwd=tree
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return {}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def line(point: tuple[Any, ...], here: dict[str, Any], there: dict[str, Any], peer: dict[str, Any]) -> str:
    """Return one row of the table."""
    kind, order, decibels, epsilon, delta = point
    aim = next(width for most, width in AIMS.items() if order <= most)

    def told(found: dict[str, Any], name: str, form: str) -> str:
        return format(found[name], form) if found.get(name) is not None else "-"

    ratio = f"{here['seconds'] / there['seconds']:.3g}" if here and there else "-"
    overlap = here and there and not (here["lower"] <= there["upper"] and there["lower"] <= here["upper"])
    cells = [
        f"{order}-{kind.upper()}, {decibels} dB",
        epsilon,
        delta,
        told(here, "width", ".1e"),
        told(here, "seconds", ".3g"),
        told(here, "megabytes", ".0f"),
        told(there, "width", ".1e"),
        told(there, "seconds", ".3g"),
        ratio,
        told(peer, "seconds", ".3g"),
        f"{aim:g}",
        "**apart**" if overlap else "yes" if here and here["width"] <= aim else "no",
    ]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--older", type=Path, required=True)
    parser.add_argument("--peer")
    parser.add_argument("--order", type=int, nargs="*")
    chosen = parser.parse_args()
    here, bench = Path(__file__).parents[1], str(Path(__file__).parent)
    print("| medium | epsilon | delta | width | s | MB | width before | s before | ratio | s of cvxpy | aim | met |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for point in POINTS:
        if chosen.order and point[1] not in chosen.order:
            continue
        ours = measured(sys.executable, OURS, here, point)
        older = measured(sys.executable, OURS, chosen.older, point)
        peer = measured(chosen.peer, THEIRS.format(bench=bench), here, point) if chosen.peer and point[1] <= 32 else {}
        print(line(point, ours, older, peer), flush=True)


if __name__ == "__main__":
    main()
