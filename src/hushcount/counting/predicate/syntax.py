"""From predicate text to an SQL syntax tree, with everything refused that can be told from the words alone.

The checks on words run before the parser, so that a refusal names what the user wrote and the parser never sees
statements, parameters or deep nesting.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from hushcount.counting.predicate import reasons
from hushcount.errors import PredicateRefused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp
    from sqlglot.tokenizer_core import Token

__all__ = ["MAX_LENGTH", "dialect_keywords", "syntax_tree"]

MAX_LENGTH = 10_000
# The parser spends up to 33 Python frames on one level, and the interpreter allows 1000 in all.
MAX_NESTING = 20

_SYMBOLS = frozenset(["(", ")", ",", ".", "=", "==", "<>", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%"])
_NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")
_WORDS_BEFORE_PAREN = reasons.GRAMMAR_WORDS - {"NULL", "END"}


@cache
def dialect_keywords() -> frozenset[str]:
    """The words, in capitals, that DuckDB's SQL does not read as a plain name."""
    from sqlglot.dialects.duckdb import DuckDB

    words = (word for word in DuckDB.Tokenizer.KEYWORDS if word.replace("_", "").isalnum())
    return frozenset(word.upper() for word in words) | reasons.RESERVED_WORDS


def syntax_tree(text: str) -> exp.Expr:
    """The sqlglot tree of one SQL expression in DuckDB's dialect.

    Raises:
        PredicateRefused: the text is empty, too long, too deeply nested, not one expression, or uses a word, function
            or symbol outside the allow-list.
    """
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import ErrorLevel, ParseError, SqlglotError

    _check_characters(text)
    tokens = _tokens(text)
    _check_tokens(tokens, text)
    try:
        return sqlglot.parse_one(text, dialect="duckdb", into=exp.Condition, error_level=ErrorLevel.IMMEDIATE)
    except RecursionError:
        raise PredicateRefused(reasons.TOO_DEEP) from None
    except ParseError as error:
        raise PredicateRefused(_where_it_failed(error, text)) from None
    except (SqlglotError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        # The last five: the parser trips over its own feet on some malformed texts.
        raise PredicateRefused("predicate is not an SQL expression that can be read") from None


def _check_characters(text: str) -> None:
    if not isinstance(text, str):
        raise PredicateRefused(f"predicate must be text (got {type(text).__name__})")
    if not text.strip():
        raise PredicateRefused("predicate is empty; give one SQL condition, for example: age >= 65")
    if len(text) > MAX_LENGTH:
        raise PredicateRefused(f"predicate is too long: {len(text)} characters, at most {MAX_LENGTH} are allowed")
    for place, character in enumerate(text, 1):
        if unicodedata.category(character) in ("Cc", "Cs") and character not in "\t\r\n":
            raise PredicateRefused(f"predicate holds the control character U+{ord(character):04X} at character {place}")


def _tokens(text: str) -> list[Token]:
    import sqlglot
    from sqlglot.errors import SqlglotError

    try:
        return list(sqlglot.tokenize(text, dialect="duckdb"))
    except (SqlglotError, LookupError, ValueError):
        raise PredicateRefused("predicate cannot be split into words; is a quote left open?") from None


def _check_tokens(tokens: Sequence[Token], text: str) -> None:
    from sqlglot.tokenizer_core import TokenType

    if not tokens or any(token.comments for token in tokens):
        raise PredicateRefused("comments are not allowed in a predicate")
    nesting = signs = end = 0
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        kind, raw = token.token_type, text[token.start : token.end + 1]
        _check_ascii(text[end : token.start], end)
        end = token.end + 1
        opens_call = following is not None and following.token_type is TokenType.L_PAREN
        if kind is TokenType.IDENTIFIER:
            if opens_call:
                _check_function(token.text)
        elif kind is TokenType.NUMBER:
            if not _NUMBER.fullmatch(raw):
                raise PredicateRefused(f"{raw!r} is not a number as it is written here; write it as 1000 or 1.5e3")
        elif kind is not TokenType.STRING:
            _check_ascii(raw, token.start)
            if "'" in raw:
                raise PredicateRefused(f"{raw[:60]!r} is refused: strings are written as plain 'text'")
            if raw[0].isalpha() or raw[0] == "_":
                _check_word(token, opens_call)
            else:
                _check_symbol(raw)
        nesting += {"(": 1, ")": -1, "CASE": 1, "END": -1}.get(raw.upper(), 0)
        signs = signs + 1 if raw.upper() in ("NOT", "-", "+") else 0
        if nesting + signs > MAX_NESTING:
            raise PredicateRefused(reasons.TOO_DEEP)


def _check_ascii(raw: str, start: int) -> None:
    for offset, character in enumerate(raw):
        if not character.isascii():
            place = f"{character!r} (U+{ord(character):04X}) at character {start + offset + 1}"
            raise PredicateRefused(
                f"{place} is outside ASCII; a column name with such letters goes in double quotes, a text in single"
            )


def _check_word(token: Token, opens_call: bool) -> None:
    word = token.text.upper()
    if opens_call and word not in _WORDS_BEFORE_PAREN:
        _check_function(token.text)
        return
    reason = reasons.WORDS.get(word.split()[0])
    if reason is not None:
        raise PredicateRefused(f"{token.text!r}: {reason}")
    if word not in reasons.GRAMMAR_WORDS and token.token_type not in _name_tokens():
        raise PredicateRefused(f"{token.text!r} has another meaning in SQL; a column of that name needs double quotes")


@cache
def _name_tokens() -> frozenset[object]:
    from sqlglot.dialects.duckdb import DuckDB
    from sqlglot.tokenizer_core import TokenType

    return frozenset(DuckDB.Parser.ID_VAR_TOKENS) | {TokenType.VAR, TokenType.TRUE, TokenType.FALSE}


def _check_function(name: str) -> None:
    if name.lower() not in reasons.FUNCTIONS:
        raise PredicateRefused(f"{name}() is refused: {reasons.of_function(name)}")


def _check_symbol(raw: str) -> None:
    if raw not in _SYMBOLS:
        raise PredicateRefused(f"{raw!r} is refused: {reasons.SYMBOLS.get(raw, reasons.UNKNOWN_SYMBOL)}")


def _where_it_failed(error: object, text: str) -> str:
    for details in _details(error):
        highlight = details.get("highlight")
        if isinstance(highlight, str) and highlight:
            return f"predicate is not one SQL expression; it stops making sense at {highlight[:60]!r}"
    return f"predicate is not one SQL expression: {text[:60]!r}"


def _details(error: object) -> Iterator[dict[str, object]]:
    found = getattr(error, "errors", None)
    yield from (item for item in found or () if isinstance(item, dict))
