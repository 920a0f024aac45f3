"""Predicates: one row-local SQL condition, read and refused before any data is."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field

from hushcount.counting.predicate import reasons
from hushcount.counting.predicate.allow import allowed
from hushcount.counting.predicate.nodes import Node, column_names, compared_names
from hushcount.counting.predicate.quoting import is_plain_name
from hushcount.counting.predicate.render import render
from hushcount.counting.predicate.syntax import dialect_keywords, syntax_tree
from hushcount.errors import NoSuchColumn
from hushcount.inputs.arguments import nearest_name

__all__ = ["Predicate", "check_names", "parse_predicate"]


@dataclass(frozen=True)
class Predicate:
    """A condition that judges each row by itself; made by `parse_predicate`.

    Attributes:
        sql: the condition as normalized SQL, which means the same as what was written.
        columns: the names of the columns that it uses, each once.
        tree: its parts.
    """

    sql: str
    columns: tuple[str, ...]
    tree: Node = field(repr=False)

    @property
    def is_of_all(self) -> bool:
        """Whether it says of every row that it is meant: TRUE."""
        return self.sql == "TRUE"

    def check_columns(self, available: Iterable[str]) -> None:
        """Check that every column is among the `available` names, letter by letter (case counts).

        Raises:
            NoSuchColumn: one is not; a near miss is suggested, and single quotes where a text may be meant.
        """
        names = tuple(available)
        check_names(self.columns, names, compared_names(self.tree, names))


def parse_predicate(text: str, columns: Iterable[str] | None = None) -> Predicate:
    """Read one SQL boolean expression (DuckDB's spelling) and check it against the allow-list.

    Allowed are AND OR NOT, = <> < <= > >=, IS [NOT] NULL, IS [NOT] TRUE or FALSE, [NOT] IN (literals), [NOT] BETWEEN,
    [NOT] LIKE 'pattern' (case counts, no escape character), + - * /, % by a number other than 0, number and string
    literals, TRUE FALSE NULL, DATE '...' and TIMESTAMP '...', columns, lower upper trim length abs coalesce,
    extract(year|quarter|month|day FROM ...), also written year(...), and CASE. Everything else is refused with its
    reason.

    Args:
        text: the expression, at most 10,000 characters.
        columns: the column names of the source; None leaves them to be checked when it is opened.

    Raises:
        PredicateRefused: the text is not a single expression of allowed parts.
        NoSuchColumn: a column is not among `columns`.
    """
    tree = allowed(syntax_tree(text))
    predicate = Predicate(render(tree, dialect_keywords()), column_names(tree), tree)
    if columns is not None:
        predicate.check_columns(columns)
    return predicate


def check_names(wanted: Iterable[str], available: Iterable[str], compared: Container[str] | None = None) -> None:
    """Check that every name is among the `available` ones, letter by letter (case counts).

    Args:
        compared: of names in a condition, those that may have been meant as texts; see `compared_names`.

    Raises:
        NoSuchColumn: one is not; a near miss is suggested.
    """
    names = tuple(available)
    for column in wanted:
        if column not in names:
            undivided = names[0] if len(names) == 1 and set(names[0]) & set(",;\t|") else None
            near = nearest_name(column, names) or next((name for name in names if _begins(name, column)), None)
            hint = reasons.single_quotes(column) if compared is not None and column in compared else ""
            if compared is not None and near is not None and not is_plain_name(near):
                hint += reasons.double_quotes(near)
            raise NoSuchColumn(column, near, undivided, hint)


def _begins(name: str, start: str) -> bool:
    """Return whether a name is that of a column which SQL reads as several, such as `body-mass`, and begins so."""
    return name.startswith(start) and not is_plain_name(name)
