"""What the tests of the ledger ask of it, and the processes that ask at the same time, are killed or run into walls."""

from __future__ import annotations

import json
import os
import resource
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from forked import PROCESSES
from stopped import folder_state, watch

from hushcount.errors import BudgetExceeded, LedgerUnusable
from hushcount.ledger import Charge, Ledger, Question, create_budget, store
from hushcount.ledger.accounting import left_over
from hushcount.ledger.book import Book
from hushcount.ledger.entry import Entry, Kind
from hushcount.ledger.location import store_at
from hushcount.ledger.store import Transaction
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta

MAXIMUM = 5000
NOBODY = 65534

ONE_THREAD = threading.Lock()
"""Held to start a process and to wait for its end: starting one also asks after all others, and of two threads that ask
after the same one, one finds no exit code."""


def question(predicate: str = "age >= 65", epsilon: Any = "0.1", delta: Any = 0, **others: Any) -> Question:
    """A question at a price."""
    return Question(
        **{
            "predicate": predicate,
            "maximum": MAXIMUM,
            "adjacency": Adjacency.REPLACE_ONE,
            "mechanism": "nearest",
            "price": EpsilonDelta.of(epsilon, delta),
            **others,
        }
    )


def receipt(released: int) -> str:
    """As much of a receipt as the ledger looks at."""
    return json.dumps({"released": released, "note": "é"}) + "\n"


def charged_before(place: str, asked: Question, request: str, budget: str = "people") -> None:
    """Charge as hushcount did before it looked at whom a charge protects."""
    with store_at(place).writing() as connection:
        book = Book(connection, place).lock()
        account = book.account(budget)
        cost = account.terms.cost_of(asked)
        left = left_over(account.left, cost)
        body, sha256 = asked.to_json(), asked.sha256
        book.add(Entry.of(Kind.CHARGED, budget, request=request, question=sha256, price=cost, left=left, body=body))


def lift_triggers(transaction: Transaction) -> None:
    """Let the history be changed, as somebody may who owns the database."""
    if transaction.dialect == "sqlite":
        transaction.execute("DROP TRIGGER hushcount_entries_UPDATE")
        transaction.execute("DROP TRIGGER hushcount_entries_DELETE")
    else:
        transaction.execute("DROP TRIGGER hushcount_entries_unchanged ON hushcount_entries")


# --- processes --------------------------------------------------------------------------------------------------------


def in_a_process(target: Callable[..., None], *arguments: Any) -> list[Any]:
    """What `target(*arguments, tell)` tells, in a process of its own, until it ends or is killed."""
    ours, theirs = PROCESSES.Pipe(duplex=False)
    process = PROCESSES.Process(target=_telling, args=(target, arguments, theirs))
    with ONE_THREAD:
        process.start()
    theirs.close()
    told = []
    try:
        while True:
            told.append(ours.recv())
    except EOFError:
        with ONE_THREAD:
            process.join()
    assert process.exitcode in (0, -signal.SIGKILL), process.exitcode
    return told


def _telling(target: Callable[..., None], arguments: tuple[Any, ...], pipe: Any) -> None:
    target(*arguments, pipe.send)


def ask_at_once(location: str, price: Curve, number: int, start: Any, tell: Callable[[Any], None]) -> None:
    """Waits for the others, then charges for a question of its own."""
    ledger = Ledger(location)
    start.wait()
    try:
        tell(ledger.charge("people", question(f"age >= {number}", price=price)).basis.name)
    except BudgetExceeded as error:
        tell((error.requested, error.remaining))


def ask_in_vain(location: str, tell: Callable[[Any], None]) -> None:
    """Tries to charge while another holds the ledger, and tells why it could not."""
    store.BUSY_SECONDS = 1
    try:
        Ledger(location).charge("people", question())
        tell("charged")
    except LedgerUnusable as error:
        tell(error.reason)


def steps_until(killed_at: int) -> Callable[[], None]:
    """A step to call, which kills the process at that number; so does each SQL statement, before and after, and each
    commit before it is made."""
    steps = 0
    execute, commit = Transaction.execute, Transaction.commit

    def step() -> None:
        nonlocal steps
        if steps == killed_at:
            os.kill(os.getpid(), signal.SIGKILL)
        steps += 1

    def between_steps(transaction: Transaction, statement: str, **values: str | int) -> list[tuple[Any, ...]]:
        step()
        rows = execute(transaction, statement, **values)
        step()
        return rows

    def after_a_step(transaction: Transaction) -> None:
        step()
        commit(transaction)

    Transaction.execute = between_steps  # type: ignore[assignment, method-assign]
    Transaction.commit = after_a_step  # type: ignore[assignment, method-assign]
    return step


def release(location: str, request: str, killed_at: int, tell: Callable[[Any], None]) -> None:
    """Makes one release and tells what it shows; killed at a step, of which the draw and the showing are two more."""
    step = steps_until(killed_at)

    def draw(charge: Charge) -> str:
        step()
        tell("drawn")
        return receipt(os.getpid() % MAXIMUM)

    grant = Ledger(location).answer("people", question(request, "0.3"), draw, request)
    step()
    tell(json.loads(str(grant.answer))["released"])
    tell("survived")


def create(location: str, killed_at: int, tell: Callable[[Any], None]) -> None:
    """Makes a ledger; killed at a step."""
    steps_until(killed_at)
    create_budget(location, "people", 1)
    tell("survived")


def charge_without_end(location: str, tell: Callable[[Any], None]) -> None:
    """Charges as fast as it can, and tells each request that was granted, after its own process id."""
    tell(os.getpid())
    ledger = Ledger(location)
    for number in range(10**9):
        tell(ledger.charge("people", question(f"id = {os.getpid()} AND age > {number}", "1e-6")).charge.request_id)


def run_into_full_disk(location: str, stage: str, tell: Callable[[Any], None]) -> None:
    """Makes a release; from the `stage` "charge" or "deliver" on, no file of this process can grow past two pages, not
    even the journal."""
    ledger = Ledger(location)

    def fill_the_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    def draw(charge: Charge) -> str:
        fill_the_disk()
        return receipt(7)

    try:
        if stage == "charge":
            fill_the_disk()
        tell(ledger.answer("people", question(), draw, "r").answer)
    except LedgerUnusable as error:
        tell(error.reason)


def try_a_protected_file(location: str, tell: Callable[[Any], None]) -> None:
    """Reads and writes a ledger as somebody whom its mode concerns."""
    if os.geteuid() == 0:
        Ledger(location).budgets()  # imports what others than root may not be able to read
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    try:
        ledger = Ledger(location)
        assert ledger.history("people")
        assert ledger.verify().is_intact
    except LedgerUnusable as error:
        tell(error.reason.removeprefix("cannot be opened: "))
        return
    try:
        ledger.charge("people", question("age < 18"))
        tell("writes")
    except LedgerUnusable as error:
        tell(f"reads, but {error.reason}")


def watch_a_release(location: str, tell: Callable[[Any], None]) -> None:
    """Tells each state of the ledger's folder in the course of a release; none where processes cannot be watched."""
    ledger = Ledger(location)

    def act() -> None:
        ledger.answer("people", question("y" * 5000), lambda _: receipt(7), "broken off")

    for state in watch(act, lambda: folder_state(Path(location).parent)):
        tell(state)


def watch_an_opening(location: str, tell: Callable[[Any], None]) -> None:
    """The same, while the ledger is opened."""

    def act() -> None:
        Ledger(location)

    for state in watch(act, lambda: folder_state(Path(location).parent)):
        tell(state)
