"""From predicate text to an SQL syntax tree; everything is refused that the words alone show to be wrong.

The checks on words run before the parser, so that a refusal names what the user wrote and the parser never sees
statements, parameters or deep nesting.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from hushcount.counting.predicate import reasons
from hushcount.counting.predicate.written_numbers import check_number
from hushcount.errors import PredicateRefused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp
    from sqlglot.tokenizer_core import Token

__all__ = ["MAX_LENGTH", "dialect_keywords", "syntax_tree"]

MAX_LENGTH = 10_000
# The parser spends up to 33 Python frames on one level, and the interpreter allows 1000 in all.
MAX_NESTING = 20

_SYMBOLS = reasons.COMPARISONS | {"(", ")", ",", ".", "+", "-", "*", "/", "%"}
_BETWEEN_NAMES = {"AND", "OR", "NOT", "IN", "IS", "BETWEEN", "LIKE", "WHEN", "THEN", "ELSE"}
_AFTER_NAMES = reasons.COMPARISONS | {"IN", "IS", "BETWEEN", "LIKE", "NOT"}
_WORDS_BEFORE_PAREN = reasons.GRAMMAR_WORDS - {"NULL", "END"}


@cache
def dialect_keywords() -> frozenset[str]:
    """Return the words, in capitals, that DuckDB's SQL does not read as a plain name."""
    from sqlglot.dialects.duckdb import DuckDB

    words = (word for word in DuckDB.Tokenizer.KEYWORDS if word.replace("_", "").isalnum())
    return frozenset(word.upper() for word in words) | reasons.RESERVED_WORDS


def syntax_tree(text: str) -> exp.Expr:
    """Return the sqlglot tree of one SQL expression in DuckDB's dialect.

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
        raise PredicateRefused(_where_it_failed(error, text) + _side_by_side(tokens, text)) from None
    except (SqlglotError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        # The last five are faults of the parser itself on some malformed texts.
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
    calls: list[bool] = []  # of each parenthesis that is open, whether a list is in it
    for at, (token, following) in enumerate(zip(tokens, [*tokens[1:], None], strict=True)):
        kind, raw = token.token_type, text[token.start : token.end + 1]
        _check_ascii(text[end : token.start], end)
        end = token.end + 1
        opens_call = following is not None and following.token_type is TokenType.L_PAREN
        before = tokens[at - 1].text.upper() if at else ""
        if kind is TokenType.IDENTIFIER:
            if opens_call:
                _check_function(token.text)
        elif kind is TokenType.NUMBER:
            check_number(raw, text, token.start, is_listed=bool(calls) and calls[-1])
        elif kind is not TokenType.STRING:
            _check_ascii(raw, token.start)
            if "'" in raw:
                raise PredicateRefused(f"{raw[:60]!r} is refused: strings are written as plain 'text'")
            if raw[0].isalpha() or raw[0] == "_":
                if opens_call and token.text.upper() not in _WORDS_BEFORE_PAREN:
                    _check_function(token.text, _name_around(tokens, at, text))
                elif token.text.upper() == "IN" and not opens_call:
                    raise PredicateRefused("after IN, the list is in parentheses: IN (1, 2)")
                else:
                    _check_word(tokens, at, text)
            else:
                _check_symbol(raw, before)
        if raw == "(":
            calls.append(before == "IN" or (before.isidentifier() and before not in _WORDS_BEFORE_PAREN))
        elif raw == ")" and calls:
            calls.pop()
        nesting += {"(": 1, ")": -1, "CASE": 1, "END": -1}.get(raw.upper(), 0)
        signs = signs + 1 if raw.upper() in ("NOT", "-", "+") else 0
        if nesting + signs > MAX_NESTING:
            raise PredicateRefused(reasons.TOO_DEEP)


def _check_ascii(raw: str, start: int) -> None:
    for offset, character in enumerate(raw):
        if not character.isascii():
            usual = "a column name with such letters goes in double quotes, a text in single"
            raise PredicateRefused(
                f"{character!r} (U+{ord(character):04X}) at character {start + offset + 1} is outside ASCII; "
                f"{reasons.CHARACTERS.get(character, usual)}"
            )


def _name_around(tokens: Sequence[Token], at: int, text: str) -> str:
    """Return what may be the name of a column without quotes around a word: `Body Mass (g)` around `Mass`, or else
    `Body Mass`; empty if it is one word.

    It is the words side by side, and words in parentheses after them.
    """
    first, last = at, at
    while first > 0 and _is_plain_word(tokens[first - 1]):
        first -= 1
    while last + 1 < len(tokens) and _is_plain_word(tokens[last + 1]):
        last += 1
    signs = [token.text for token in tokens[last + 1 : last + 4]]
    if len(signs) == 3 and (signs[0], signs[2]) == ("(", ")") and _is_plain_word(tokens[last + 2]):
        return text[tokens[first].start : tokens[last + 3].end + 1]
    return text[tokens[first].start : tokens[last].end + 1] if first < last else ""


def _is_plain_word(token: Token) -> bool:
    return token.token_type in _name_tokens() and _is_word(token) and token.text.upper() not in reasons.RESERVED_WORDS


def _is_word(token: Token) -> bool:
    """Return whether it may be a word of a name, be it one of SQL too, as in `Date Egg` and `End Date`."""
    from sqlglot.tokenizer_core import TokenType

    is_quoted = token.token_type in (TokenType.STRING, TokenType.IDENTIFIER)
    return not is_quoted and token.text.isidentifier() and token.text.upper() not in _BETWEEN_NAMES


def _check_word(tokens: Sequence[Token], at: int, text: str) -> None:
    word, kind = tokens[at].text, tokens[at].token_type
    reason = reasons.WORDS.get(word.upper().split()[0])
    if reason is not None:
        raise PredicateRefused(f"{word!r}: {reason}{_name_of_words(tokens, at, text)}")
    if word.upper() not in reasons.GRAMMAR_WORDS and kind not in _name_tokens():
        raise PredicateRefused(f"{word!r} has another meaning in SQL; a column of that name needs double quotes")


def _name_of_words(tokens: Sequence[Token], at: int, text: str) -> str:
    """Return what to say of words side by side, the first at a place, that a comparison follows: they may be a name."""
    last = at
    while last + 1 < len(tokens) and _is_word(tokens[last + 1]):
        last += 1
    is_compared = last + 1 < len(tokens) and tokens[last + 1].text.upper() in _AFTER_NAMES
    is_name = at < last and is_compared and not any(token.text.upper() == "FROM" for token in tokens[at + 1 : last + 1])
    return reasons.double_quotes(text[tokens[at].start : tokens[last].end + 1]) if is_name else ""


@cache
def _name_tokens() -> frozenset[object]:
    from sqlglot.dialects.duckdb import DuckDB
    from sqlglot.tokenizer_core import TokenType

    return frozenset(DuckDB.Parser.ID_VAR_TOKENS) | {TokenType.VAR, TokenType.TRUE, TokenType.FALSE}


def _check_function(name: str, written: str = "") -> None:
    """Check that a function is allowed; `written` is the column that may be meant instead."""
    if name.lower() not in reasons.FUNCTIONS:
        hint = reasons.double_quotes(written) if written and not reasons.is_known(name) else ""
        raise PredicateRefused(f"{name}() is refused: {reasons.of_function(name)}{hint}")


def _check_symbol(raw: str, before: str) -> None:
    """Check an operator or a mark; `before` is what stands before it, in capitals."""
    if raw not in _SYMBOLS:
        raise PredicateRefused(f"{raw!r} is refused: {reasons.SYMBOLS.get(raw, reasons.UNKNOWN_SYMBOL)}")
    if raw in reasons.COMPARISONS and before in reasons.COMPARISONS:
        meant = reasons.DOUBLED.get(before + raw)
        hint = f"write {meant}" if meant else "one comparison has one operator"
        raise PredicateRefused(f"'{before}{raw}' is refused: {hint}")
    if raw in reasons.COMPARISONS and before in ("AND", "OR"):
        raise PredicateRefused(
            f"after {before} the left side of {raw} is missing; repeat the column, or write BETWEEN ... AND ..."
        )


def _where_it_failed(error: object, text: str) -> str:
    for details in _details(error):
        highlight = details.get("highlight")
        if isinstance(highlight, str) and highlight:
            return f"predicate is not one SQL expression; it stops making sense at {highlight[:60]!r}"
    return f"predicate is not one SQL expression: {text[:60]!r}"


def _side_by_side(tokens: Sequence[Token], text: str) -> str:
    """Return what to say of two words side by side, which may be one name, or one text."""
    for at, (first, second) in enumerate(pairwise(tokens)):
        if _is_plain_word(first) and _is_plain_word(second):
            written = _name_around(tokens, at, text)
            return f"{reasons.double_quotes(written)}, and a text in single quotes"
    return next(
        (told for at in range(len(tokens)) if _is_word(tokens[at]) and (told := _name_of_words(tokens, at, text))), ""
    )


def _details(error: object) -> Iterator[dict[str, object]]:
    found = getattr(error, "errors", None)
    yield from (item for item in found or () if isinstance(item, dict))
