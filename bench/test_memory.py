"""Peak memory of a million exact draws, of a whole process and beyond the same process without the draw."""

import subprocess
import sys
from pathlib import Path
from statistics import median

import pytest
from rows import Row

LIMIT = 250
ROUNDS = 5
PREPARE = """
import numpy, hushcount
mechanism = hushcount.{mechanism}({n}, 0.1)
counts = numpy.linspace(0, {n}, 10**6).astype(numpy.int64)
mechanism.draw(0)
"""
DRAW = "released = mechanism.draw(counts)\n"


@pytest.mark.parametrize("n", [100, 10**12])
@pytest.mark.parametrize("mechanism", ["nearest", "canonical"])
def test_peak_memory(found, mechanism, n):
    before = PREPARE.format(mechanism=mechanism, n=n)

    def rows(told):
        case = f"10^6 draws, {mechanism}, n = {'100' if n == 100 else '10^12'}, mixed true counts: peak memory"
        whole = median(with_draw for _, with_draw in told)
        beyond = median(with_draw - without for without, with_draw in told)
        target, met = f"under {LIMIT} MB", whole < LIMIT
        return [
            Row(f"{case} of the process", whole, "MB", target=target, met=met),
            Row(f"{case} beyond the process without the draw", beyond, "MB", target=target, met=beyond < LIMIT),
        ]

    found(lambda: (peak_megabytes(before), peak_megabytes(before + DRAW)), rows, rounds=ROUNDS)


def peak_megabytes(code):
    """The largest resident size of a Python process that runs `code`, in 10^6 bytes."""
    script = Path(__file__).with_name("peak_memory.py")
    run = subprocess.run([sys.executable, str(script), code], check=True, capture_output=True, text=True)
    return int(run.stdout) / 1e6
