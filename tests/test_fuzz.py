"""`make fuzz` itself: that it can fail, that its inputs can be repeated, and a few of each kind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).resolve().parent.parent / "fuzz"


def python(*arguments, **environment):
    """In a process of its own, for `judged.prepare` changes one for good."""
    path = os.pathsep.join([str(FUZZ), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": path, **environment}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, env=environment)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("happens", "fault"),
    [
        ("print('told'); return 0", ""),
        ("print('made'); return 70", "exit code 70"),
        ("print('told'); return 1", "exit code 1 without a verdict"),
        ("return 99", "exit code 99"),
        ("1 / 0", "a traceback: ZeroDivisionError"),
        ("warnings.warn('w')", "a traceback: UserWarning"),
        ("return 2", "exit code 2 without a word"),
        ("return 0", "exit code 0 with 0 characters"),
        ("print('a'); print('b', file=sys.stderr); return 0", "more than one line on standard error"),
        ("os.write(2, b'chatter'); print('told'); return 0", "beside its own streams: b'chatter'"),
        ("open('.x.tmp', 'w').close(); print('told'); return 0", "left behind"),
        ("signal.setitimer(signal.ITIMER_PROF, 0.1); [None for _ in iter(int, 1)]", "a traceback: TakesTooLong"),
    ],
)
def test_it_can_fail(happens, fault):
    code = f"""
import os, signal, sys, warnings
import judged
from values import Case

def main(arguments):
    {happens}

judged.prepare()
judged.cli.main = main
print(*judged.faults(Case(("audit",))))
"""
    done = python("-c", code)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(fault or "\n")


@pytest.mark.slow
def test_a_process_that_dies_is_told_and_the_others_go_on(tmp_path):
    broken = tmp_path / "broken.py"
    broken.write_text(
        """
import os, sys
import judged, run

run.__file__ = __file__
run.KINDS["csv"] = (lambda text: os._exit(9) if text.endswith(":2") else None, 1)
run.Random = str
judged.prepare, judged.faults = lambda: None, lambda case: []
sys.exit(run.main())
"""
    )
    done = python(str(broken), "--inputs", "5", "--kind", "csv", "--seed", "7", "--jobs", "1")
    assert (done.returncode, done.stderr) == (1, "")
    failure, how, summary = done.stdout.splitlines()
    assert failure == "csv: the process died (9)"
    assert how.endswith("--repeat csv:7:2")
    assert summary.startswith("5 inputs (5 csv), 1 of them failed; seed 7; ")


@pytest.mark.slow
def test_an_input_depends_on_its_kind_seed_and_number_alone():
    code = "import run; print([run.case_of(kind, 3, number) for kind in run.KINDS for number in range(20)])"
    one, other = (python("-c", code, PYTHONHASHSEED=seed) for seed in "12")
    assert (one.returncode, one.stderr) == (0, "")
    assert one.stdout == other.stdout
    assert one.stdout.count("Case(") == 20 * 15


@pytest.mark.slow
def test_a_few_of_each_kind():
    done = python(str(FUZZ / "run.py"), "--inputs", "100", "--jobs", "1", "--seed", "1")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert re.fullmatch(
        r"100 inputs \(4 arrow, 10 audit, 10 csv, 6 design, 4 excel, 4 json, 10 keys, 8 mechanism, 6 medium, "
        r"6 parquet, 2 plot, 12 predicate, 10 receipt, 4 statistical, 4 sweep\), 0 of them failed; seed 1; [0-9,]+ s\n",
        done.stdout,
    )
