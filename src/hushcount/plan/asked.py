"""The questions of a plan: judged from its file alone, then settled with each source opened once."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from hushcount.counting.cells.found import FROM_DATA_WORD, FoundCells, is_nearly_from_data
from hushcount.counting.judging import needed_columns
from hushcount.counting.predicate.groups import FromFile
from hushcount.counting.sources.kept import KeptSource
from hushcount.errors import BadData, HushcountError, InvalidParameter
from hushcount.inputs.arguments import nearest_name
from hushcount.mechanisms import Mechanism
from hushcount.mechanisms.names import is_file_name
from hushcount.plan.document import Document, Release, SourceTable
from hushcount.plan.paths import file_at, groups_at, source_at
from hushcount.release.aim import asked as promise_asked
from hushcount.release.count.question import CountQuestion
from hushcount.release.payment import Payment
from hushcount.release.question import QuestionBase, Settled
from hushcount.release.subject import Subject
from hushcount.release.table.asked import AskedTable, table_question
from hushcount.release.table.cells import declared_groups
from hushcount.release.table.found import FROM_DATA
from hushcount.saved.files import read_mechanism

__all__ = ["Asked", "SettledRelease", "asked_of", "read_together", "settled_together", "told_of"]


@dataclass(frozen=True)
class Asked:
    """A release of a plan, judged.

    Attributes:
        release: what the file says of it.
        question: what it asks.
        files: the files of keys, groups, totals or a mechanism that it reads.
        mechanism: the mechanism that was read from a file, if any.
    """

    release: Release
    question: QuestionBase[Any]
    files: tuple[str, ...]
    mechanism: Mechanism | None = None

    @property
    def table(self) -> AskedTable | None:
        """The question, if it is for a table; None for one count."""
        return self.question if isinstance(self.question, AskedTable) else None


@dataclass(frozen=True)
class SettledRelease:
    """A release of a plan of which only the counts are missing.

    Attributes:
        asked: what was judged.
        settled: the question as it is settled.
        undeclared: the columns it names whose types are told by their values, which are read after the charge.
    """

    asked: Asked
    settled: Settled[Any]
    undeclared: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name that the plan gives it."""
        return self.asked.release.name


@contextmanager
def told_of(what: Release | str, more: str = "") -> Iterator[None]:
    """Say in an error which release it is about, or what else."""
    about = what if isinstance(what, str) else f"release {what.name!r}"
    try:
        yield
    except HushcountError as error:
        message = str(error)
        if isinstance(error, InvalidParameter):  # a plan calls it `max`
            named = error.argument == "max_count"
            message = (message.replace("max_count", "max", 1) if named else message).replace("`max_count`", "`max`")
        error.args = (f"{about}: {message}{more}",)
        raise


def asked_of(document: Document, folder: str, payment: Payment) -> tuple[Asked, ...]:
    """Judge every release of a plan; no source is opened.

    Args:
        folder: the folder of the plan, from which its paths start.
        payment: the budget that all are charged to.

    Raises:
        BadUse, BadData: as for `release_count` and `release_table` before they open a source; or two releases have one
            name, a source is not named, or the budget has another adjacency.
    """
    adjacency = payment.ledger.terms(payment.budget).adjacency.value
    subjects = _subjects(document.sources, folder, payment)
    found: dict[str, Asked] = {}
    for release in document.release:
        with told_of(release):
            if release.name.casefold() in found:
                raise InvalidParameter("name", release.name, "another one than those before it, also in lower case")
            subject = _chosen(release.source, subjects, folder, payment).counting(release.rows_per_unit)
            found[release.name.casefold()] = _asked(release, document, subject, folder, adjacency, payment)
    return tuple(found.values())


@contextmanager
def settled_together(asked: Sequence[Asked], payment: Payment) -> Iterator[tuple[SettledRelease, ...]]:
    """Open each source once, and settle all questions. While this lasts, the sources stay open.

    Args:
        payment: the budget that they are charged to, which may have them answered by now.

    Raises:
        BadUse, BadData: a source cannot be opened, is not as it is declared or listed, or does not fit a question.
    """
    columns: dict[Any, list[str]] = defaultdict(list)
    for one in asked:
        question = one.question
        columns[_key(question)] += needed_columns(question.predicate, question.subject.unit, question.cells)
    with ExitStack() as opened:
        kept = {key: opened.enter_context(KeptSource(names)) for key, names in columns.items()}
        everything: dict[Any, int] = {}
        settled = []
        for one in asked:
            key = _key(one.question)
            question = replace(one.question, subject=replace(one.question.subject, kept=kept[key]))
            what = key, question.subject.unit
            with told_of(one.release), question.open() as table:
                if what not in everything:
                    everything[what] = question.everything(table)
                found = question.settled_in(table, payment, everything[what])
                settled.append(SettledRelease(replace(one, question=question), found, table.undeclared))
        yield tuple(settled)


def read_together(settled: Iterable[SettledRelease]) -> None:
    """Have all columns that releases ask for in one source read at once. They must have been paid for: an error may
    tell something of any of these columns."""
    for one in settled:
        kept = one.asked.question.subject.kept
        if isinstance(kept, KeptSource):
            kept.read_together()


def _key(question: QuestionBase[Any]) -> Any:
    """Return what is the same for questions that one open source can answer."""
    # What some keys have read as text would be so for the others
    as_texts = question.cells.as_texts if isinstance(question.cells, FoundCells) else ()
    unit = None if question.subject.unit is None else question.subject.unit.counting(None)
    return question.subject.place, question.subject.options, unit, frozenset(as_texts)


def _subjects(tables: Mapping[str, SourceTable], folder: str, payment: Payment) -> dict[str, Subject]:
    """Return the sources; none of them can be a file of keys for another, since its rows would be shown."""
    found = {}
    for name, table in tables.items():
        with told_of(f"source {name!r}"):
            place = source_at(folder, table.source)
            found[name] = Subject.of(place, table.options, table.unit, table.without_unit, payment)
    paths = tuple(dict.fromkeys(path for subject in found.values() for path in subject.paths))
    return {name: replace(subject, other_paths=paths) for name, subject in found.items()}


def _chosen(name: str | None, subjects: Mapping[str, Subject], folder: str, payment: Payment) -> Subject:
    if not subjects:
        return Subject.of(None if name is None else _on_list(name, folder), payment=payment)
    if name is None:
        if len(subjects) > 1:
            raise InvalidParameter("source", None, f"given: one of {', '.join(subjects)}")
        return next(iter(subjects.values()))
    if name not in subjects:
        rule = f"one of the plan's sources: {', '.join(subjects)}"
        raise InvalidParameter("source", name, rule, nearest_name(name, subjects))
    return subjects[name]


def _on_list(name: str, folder: str) -> str:
    """Return a source of the budget's list: its path, or the name of one that may be in any folder."""
    place = source_at(folder, name)
    return name if name == os.path.basename(name) and not os.path.lexists(place) else place


def _asked(
    release: Release, document: Document, subject: Subject, folder: str, adjacency: str, payment: Payment
) -> Asked:
    own, common = release.given(), document.defaults.given()
    with told_of("defaults") if common and not own else nullcontext():
        promise = promise_asked(**(own or common), payment=payment)
    named = release.mechanism or document.defaults.mechanism or "nearest"
    files: list[str] = []
    law: Mechanism | None = None
    if is_file_name(named, folder):
        files.append(file_at(folder, named))
        subject.check_declared("mechanism", files[-1])
        law = read_mechanism(files[-1])
    shared: Any = {"adjacency": adjacency, "max_count": release.max, "mechanism": named if law is None else law}
    if release.by is None:
        _check_count(release)
        return Asked(release, CountQuestion.of(subject, release.where, promise, **shared), tuple(files), law)
    keys: Any = FROM_DATA if release.keys == FROM_DATA.value else release.keys
    if isinstance(keys, str):
        if is_nearly_from_data(keys):
            raise InvalidParameter("keys", keys, "a list of keys, or a file", FROM_DATA_WORD)
        keys = file_at(folder, keys)
        files.append(keys)
    totals = None if release.totals is None else file_at(folder, release.totals)
    given = groups_at(folder, release.by)
    files += [*([] if totals is None else [totals]), *(group.path for group in given if isinstance(group, FromFile))]
    delimiter = "," if release.keys_delimiter is None else release.keys_delimiter
    question = table_question(
        subject,
        declared_groups(subject, given, delimiter),
        keys,
        release.where,
        promise,
        totals=totals,
        undeclared=release.undeclared,
        max_cells=release.max_cells,
        keys_delimiter=delimiter,
        **shared,
    )
    return Asked(release, question, tuple(files), law)


def _check_count(release: Release) -> None:
    for name in ("keys", "totals", "keys_delimiter", "undeclared", "max_cells"):
        if getattr(release, name) is not None:
            raise BadData(f"{name} is for a table, which has `by`")
