"""Limits in steps: what a solver finds must not depend on how busy the machine is."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from hushcount.linear_program import solver as module
from hushcount.linear_program.methods import Method
from hushcount.linear_program.solver import Solver
from hushcount.linear_program.steps import _Steps, ran_within
from hushcount.medium import psk
from hushcount.medium.certified.program import Products
from hushcount.promise.epsilon_delta import EpsilonDelta

INTERIOR = (Method.INTERIOR_POINT, Method.PLAIN_INTERIOR_POINT, Method.CROSSOVER)


def least_error_model(M=16, decibels=8):
    products = Products.of(psk(M, es_n0_db=decibels), EpsilonDelta.of(1), 0.0)
    products.least_diagonal()
    return products.builder.build()


def steps_of(method, monkeypatch):
    """How many steps a run takes that ends by itself."""
    taken = []

    def counted(highs, allowed):
        low, high = 0, allowed  # ends within `high`
        while high - low > 1:
            middle = (low + high) // 2
            highs.clearSolver()
            low, high = (low, middle) if ran_within(highs, middle) else (middle, high)
        taken.append(high)
        highs.clearSolver()
        return ran_within(highs, high)

    monkeypatch.setattr(module, "ran_within", counted)
    next(Solver(least_error_model()).attempts([method]))
    return taken[0]


@pytest.mark.slow
@pytest.mark.parametrize("method", INTERIOR)
def test_steps_are_counted(monkeypatch, method):
    enough = steps_of(method, monkeypatch)
    monkeypatch.undo()
    assert 100 < enough < module.most_inner_steps(least_error_model())
    for limit in (0, 1, enough // 2, enough - 1, enough, enough + 1):
        monkeypatch.setattr(module, "most_inner_steps", lambda model, limit=limit: limit)
        found = next(Solver(least_error_model()).attempts([method]))
        assert found.stopped == ((method,) if limit < enough else ())


@pytest.mark.parametrize("method", INTERIOR)
@pytest.mark.parametrize("limit", [10, 200, 700, 10**6])
def test_what_was_found_within_a_limit_is_the_same_every_time(monkeypatch, method, limit):
    monkeypatch.setattr(module, "most_inner_steps", lambda model: limit)
    first, again = (next(Solver(least_error_model()).attempts([method])) for _ in range(2))
    assert first.bound == again.bound
    assert (first.x is None) == (again.x is None)
    assert first.x is None or first.x.tobytes() == again.x.tobytes()


def test_limits():
    """At 10 for each row and column, or what is worth waiting for; of interior point at least two for each row. Of
    media of 64, 128 and 256 symbols, those that were solved took up to 23,003, 47,762 and 144,707."""
    sizes = {
        (100, 100): (3000, 2_000_200),
        (6176, 4097): (38_937, 51_289),
        (24_640, 16_385): (9750, 54_627),
        (98_432, 65_537): (2439, 197_198),
    }
    for (rows, columns), (steps, inner) in sizes.items():
        model = SimpleNamespace(rows=rows, columns=columns)
        assert (module.most_steps(model), module.most_inner_steps(model)) == (steps, inner)


@pytest.mark.parametrize(
    ("medium", "tried"),
    [((16, 8), INTERIOR[:2]), ((32, 14), INTERIOR[:1])],
    ids=["presolve takes something away", "presolve does nothing"],
)
def test_what_would_take_the_same_steps_as_a_stopped_try_is_left_out(monkeypatch, medium, tried):
    monkeypatch.setattr(module, "most_inner_steps", lambda model: 10)
    *_, last = Solver(least_error_model(*medium)).attempts(INTERIOR)
    assert last.tries == last.stopped == tried


def test_no_option_is_a_clock_and_none_lets_threads_in(monkeypatch):
    told = {}
    monkeypatch.setattr(Solver, "_set", lambda self, options: told.update(options))
    monkeypatch.setattr(module, "ran_within", lambda highs, allowed: True)
    solver = Solver(least_error_model(4))
    for method in module.OPTIONS:
        solver._run(method)
        assert "time_limit" not in told
        assert told["parallel"] == "off"
        assert told["solver"] in ("ipx", "simplex")  # not "choose"


ANSWER = """
import sys
import numpy as np
from hushcount.medium import from_matrix, optimum, pam, psk
from hushcount.linear_program import methods
methods._FIRST_STEPS, methods._DEAR_STEPS = 0, int(sys.argv[1])
for medium, epsilon, delta in [(psk(33, es_n0_db=10), 1, "0.001"), (pam(33, es_n0_db=14), 0.5, 0)]:
    outputs, counts = np.repeat(medium.matrix / 2, 2, axis=1), np.repeat(np.arange(medium.order), 2)
    found = optimum(from_matrix(outputs, decide=counts), epsilon, delta)  # HiGHS serves media with outputs
    print(found.lower.hex(), found.upper.hex(), found.to_dict(), found.mechanism.entries.tobytes().hex())
"""

BUSY = "while True: pass"


@pytest.mark.slow
@pytest.mark.parametrize("steps", [400_000_000, 400_000], ids=["solved", "stopped"])
def test_the_same_bytes_on_a_quiet_machine_and_on_a_busy_one(steps):
    def answer():
        asked = [sys.executable, "-c", ANSWER, str(steps)]
        return subprocess.run(asked, capture_output=True, check=True).stdout

    quiet = answer()
    count = 2 * (os.cpu_count() or 1)
    others = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(count)]
    try:
        busy = answer()
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert quiet == busy
    assert quiet.count(b"'stopped': []") == (2 if steps == 400_000_000 else 0)


@pytest.mark.slow
def test_a_vertex_that_crossover_alone_found_is_read():
    """HiGHS crashed when asked for the basis where no simplex had run."""
    code = """
from test_steps import INTERIOR, Solver, least_error_model
print(next(Solver(least_error_model()).attempts(INTERIOR[2:])).outcome.name)
"""
    asked = [sys.executable, "-c", code]
    ran = subprocess.run(asked, capture_output=True, text=True, check=True, cwd=os.path.dirname(__file__))
    assert ran.stdout == "CERTIFIED\n"


WATCHED = """
import sys
from hushcount.medium import optimum, pam, psk
from hushcount.linear_program.solver import Solver

run = Solver._run
def watched(self, method):
    print(self.model.rows, flush=True)
    return run(self, method)
Solver._run = watched

medium = {"psk": psk, "pam": pam}[sys.argv[1]](int(sys.argv[2]), es_n0_db=int(sys.argv[3]))
found = optimum(medium, sys.argv[4], sys.argv[5])
print(found.width, found.to_dict(), found.mechanism.entries.tobytes().hex())
"""


LARGE = [(("psk", "64", "14", "0.5", "0"), 6176, 9e-8), (("pam", "32", "20", "0.02", "0.1"), 1583, 6e-10)]
"""What goes through interior point, and what goes through simplex: rows, and the width on a quiet machine when limits
were in seconds."""


def answer(asked, rows, held):
    """The last line of a process, which may be held for 19 seconds, longer than those limits, in each large model."""
    command = [sys.executable, "-c", WATCHED, *asked]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if line.split()[0] == str(rows) and held:
                time.sleep(0.3)
                process.send_signal(signal.SIGSTOP)
                time.sleep(19)
                process.send_signal(signal.SIGCONT)
            last = line
    assert process.returncode == 0
    return last


@pytest.mark.slow
@pytest.mark.early
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes cannot be held here")
def test_a_machine_that_does_nothing_for_a_while_changes_nothing():
    with ThreadPoolExecutor(4) as pool:
        told = [[pool.submit(answer, *of, held) for held in (False, True)] for *of, _ in LARGE]  # type: ignore[call-arg]
    for (quiet, held), (*_, width) in zip(told, LARGE, strict=True):
        assert float(quiet.result().split()[0]) <= width
        assert "'stopped': []" in quiet.result()
        assert held.result() == quiet.result()


@pytest.mark.parametrize("came", [1, 300])
def test_a_signal_waits_for_the_end_and_changes_no_answer(monkeypatch, came):
    """Raised out of a callback, Ctrl-C would be taken for a failure of the model, and be lost."""
    steps, noticed = [], []

    class Pressed(_Steps):
        def __call__(self, *told):
            steps.append(1)
            if len(steps) == came:
                signal.raise_signal(signal.SIGINT)
            super().__call__(*told)

    solver = Solver(least_error_model())
    undisturbed = next(solver.attempts(INTERIOR[:1]))
    monkeypatch.setattr("hushcount.linear_program.steps._Steps", Pressed)
    before = signal.signal(signal.SIGINT, lambda number, frame: noticed.append(len(steps)))
    try:
        found = next(solver.attempts(INTERIOR[:1]))
        assert noticed == [len(steps)]
        assert len(steps) > came
        assert found.x.tobytes() == undisturbed.x.tobytes()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        steps.clear()
        with pytest.raises(KeyboardInterrupt):
            next(solver.attempts(INTERIOR[:1]))
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_in_a_thread_the_same(monkeypatch):
    here, there = next(Solver(least_error_model()).attempts(INTERIOR[:1])), []
    thread = threading.Thread(target=lambda: there.append(next(Solver(least_error_model()).attempts(INTERIOR[:1]))))
    thread.start()
    thread.join()
    assert there[0].x.tobytes() == here.x.tobytes()
