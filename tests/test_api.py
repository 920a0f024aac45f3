"""What `import hushcount` offers, where the rest is, and what is not loaded."""

import ast
import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import hushcount

HOME = Path(hushcount.__file__).parent
FACES = sorted(stub.parent.name for stub in HOME.glob("*/__init__.pyi"))
TOPICS = sorted([*FACES, "errors"])


def listed(stub):
    """The names that a stub offers; each is loaded on first use, and found by editors and type checkers."""
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    names = [alias for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert all(alias.name == alias.asname for alias in names)  # else a type checker takes it for private
    return sorted(alias.name for alias in names)


@pytest.mark.slow
def test_the_top_holds_what_is_typed_daily_and_every_topic():
    assert listed(HOME / "__init__.pyi") == list(hushcount.__all__)
    assert sorted(dir(hushcount)) == list(hushcount.__all__)
    assert [name for name in hushcount.__all__ if isinstance(getattr(hushcount, name), ModuleType)] == TOPICS
    names = set(hushcount.__all__) - set(TOPICS)
    assert "__version__" in names
    assert 30 <= len(names) <= 45


def test_no_name_at_the_top_is_that_of_a_standard_module():
    """`from hushcount import *` would put it in the place of Python's own, such as `numbers`."""
    assert not set(hushcount.__all__) & sys.stdlib_module_names


@pytest.mark.parametrize("topic", FACES)
def test_a_topic_offers_what_its_stub_lists(topic):
    face = import_module(f"hushcount.{topic}")
    assert listed(HOME / topic / "__init__.pyi") == list(face.__all__) == sorted(dir(face))


@pytest.mark.parametrize("topic", TOPICS)
def test_every_name_of_a_topic_is_there_and_explained(topic):
    face = getattr(hushcount, topic)
    assert inspect.getdoc(face)
    for name in face.__all__:
        found = getattr(face, name)
        assert found.__doc__, name


def test_what_is_at_the_top_is_that_of_its_topic():
    """No name means one thing at the top and another in the topic that it comes from."""
    for name in set(hushcount.__all__) - set(TOPICS) - {"__version__"}:
        found = getattr(hushcount, name)
        assert any(getattr(getattr(hushcount, topic), name, None) is found for topic in TOPICS), name


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("psk", "it is hushcount.medium.psk"),
        ("grid_values", "it is hushcount.sweeps.grid_values"),
        ("OptimalSet", "it is hushcount.optimal_set.OptimalSet"),
        ("TooLarge", "it is hushcount.errors.TooLarge"),
        ("Verdict", "it is hushcount.ledger.Verdict or hushcount.medium.Verdict or hushcount.paper.Verdict"),
    ],
)
def test_a_name_of_a_topic_is_found(name, place):
    with pytest.raises(AttributeError) as caught:
        getattr(hushcount, name)
    assert str(caught.value) == f"No hushcount attribute {name}; {place}"


def test_unknown_names():
    with pytest.raises(AttributeError, match=r"attribute nope$"):
        hushcount.nope  # noqa: B018


def loaded_by(code):
    """The modules that are there after it."""
    program = f"import sys, hushcount; {code}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return set(run.stdout.split())


@pytest.mark.slow
def test_import_is_light():
    assert not loaded_by("pass") & {"numpy", "flint", *(f"hushcount.{topic}" for topic in TOPICS)}


@pytest.mark.slow
@pytest.mark.parametrize("code", ["hushcount.nearest(3, 1).draw(1)", "hushcount.medium.psk(8, es_n0_db=3)"])
def test_a_name_loads_only_what_it_needs(code):
    """Counting libraries, pydantic and plotting are loaded by what needs them."""
    heavy = {
        "duckdb",
        "pyarrow",
        "pandas",
        "sqlglot",
        "pydantic",
        "typer",
        "rich",
        "matplotlib",
        "scipy",
        "highspy",
        "psycopg",
        "distributed",
        "pyspark",
    }
    assert not heavy & loaded_by(code)
