"""What `import hushcount` offers, and what it does not load."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import hushcount


def test_everything_offered_is_there():
    for name in hushcount.__all__:
        assert getattr(hushcount, name) is not None
    assert set(dir(hushcount)) == set(hushcount.__all__)
    assert sorted(hushcount.__all__) == list(hushcount.__all__)


def test_names_are_written_once():
    """In the stub, from where they are loaded and where editors find them."""
    stub = ast.parse(Path(hushcount.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    names = [alias for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert all(alias.name == alias.asname for alias in names)  # else a type checker takes it for private
    assert sorted(alias.name for alias in names) == list(hushcount.__all__)
    assert "__version__" in hushcount.__all__


def test_unknown_names():
    with pytest.raises(AttributeError, match="attribute nope"):
        hushcount.nope  # noqa: B018


def test_import_is_light():
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
        "sqlalchemy",
        "psycopg",
        "distributed",
        "pyspark",
    }
    program = "import sys, hushcount; hushcount.nearest(3, 1).draw(1); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    assert not heavy & set(loaded)


@pytest.mark.parametrize(
    "package",
    [
        "mechanisms",
        "counting",
        "figures",
        "ledger",
        "linear_program",
        "medium",
        "optimal_set",
        "paper",
        "privacy",
        "release",
        "sweeps",
    ],
)
def test_packages_hand_on_names(package):
    module = __import__(f"hushcount.{package}", fromlist=["__all__"])
    assert sorted(module.__all__) == list(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is not None
