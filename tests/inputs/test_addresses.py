"""What is an address, and what is said of one."""

from __future__ import annotations

import pytest

from hushcount.inputs.addresses import (
    has_no_credentials,
    is_address,
    is_encoded,
    is_shown_address,
    may_hold_secret,
    postgresql_url,
    without_credentials,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://u:secret@host:5432/db", "postgresql://host:5432/db"),
        ("postgresql://u:se@c/re:t@host/db?password=secret&sslmode=require", "postgresql://host/db"),
        ("(postgresql://u:se cret@host/db) and more", "(postgresql://host/db) and more"),
        ("postgresql:///db?user=u&password=secret", "postgresql:///db"),
        ("people.ledger", "people.ledger"),
        ("a@b.c", "a@b.c"),
    ],
)
def test_credentials_are_taken_out(text: str, shown: str) -> None:
    assert without_credentials(text) == shown


@pytest.mark.parametrize("scheme", ["postgres", "PostgreSQL", "postgresql+psycopg"])
def test_postgresql_in_its_usual_spellings(scheme: str) -> None:
    assert postgresql_url(f"{scheme}://u:p@h/d") == "postgresql://u:p@h/d"
    assert postgresql_url(f"x{scheme}://h/d") is None
    assert postgresql_url(f"{scheme}:/h/d") is None


def test_a_password_that_libpq_reads_otherwise() -> None:
    assert is_encoded("postgresql://u:a%40b@h/d?sslmode=require")
    assert not is_encoded("postgresql://u:a@b@h/d")
    assert not is_encoded("postgresql://u:a/b@h/d")
    assert not is_encoded("postgresql://h/d\0")


def test_addresses_and_files() -> None:
    for text in ("s3://bucket/key", "spark:s3a:/bucket", "host=h password = x", "u:secret@h"):
        assert is_address(text)
    for text in ("people.csv", "folder/people.csv", "c:/people.csv", "a@b.csv", "spark:people"):
        assert not is_address(text)
    assert not may_hold_secret("s3:/bucket/key")


def test_addresses_that_may_be_shown() -> None:
    assert has_no_credentials("s3a://bucket/folder")
    for text in ("s3a://user@bucket/folder", "s3a://bucket/folder?key=x", "s3a://bucket/folder#x", "folder"):
        assert not has_no_credentials(text)
    assert is_shown_address("postgresql://host:5433/people")
    assert is_shown_address("spark:s3a://bucket/folder")
    for text in ("postgresql://u@host/people", "postgresql://host/a/b", "s3a://bucket/folder", "spark:folder"):
        assert not is_shown_address(text)
