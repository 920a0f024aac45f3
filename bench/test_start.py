"""How long whole processes take to import, to explain and to release, and what they load for it."""

import subprocess
import sys
from pathlib import Path

import pytest
from rows import Peer, Row

ROUNDS = 15
ROOT = Path(__file__).resolve().parents[1]
RELEASE = ["release", ROOT / "examples" / "hiv_results.csv", "--where", "got = 1", "--epsilon", "0.5"]
EXPLAIN = ["explain", "--n", "4820", "--epsilon", "0.5"]
HEAVY = ("pandas", "pydantic", "duckdb", "matplotlib")
RELEASES = 50
SESSION = f"""
import sys
from hushcount import Session
with Session({str(RELEASE[1])!r}, sys.argv[1], "people") as session:
    for k in range({RELEASES}):
        session.count("got = 1", epsilon="0.5", fresh=True)
"""
LOADED = f"""
import sys
from hushcount.cli import main
if main({EXPLAIN}):
    sys.exit(1)
print("loaded:", *(name for name in {HEAVY} if name in sys.modules))
"""


def test_import(side_by_side):
    side_by_side(
        "import hushcount (whole process)",
        lambda: python("-c", "import hushcount"),
        Peer("import numpy", lambda: python("-c", "import numpy"), limit=2),
        Peer("import diffprivlib", lambda: python("-c", "import diffprivlib"), rounds=7),
        Peer("import opendp.prelude", lambda: python("-c", "import opendp.prelude"), rounds=7),
        rounds=ROUNDS,
    )


def test_import_of_a_mechanism(side_by_side):
    side_by_side(
        "from hushcount import nearest (whole process)",
        lambda: python("-c", "from hushcount import nearest"),
        Peer("import numpy", lambda: python("-c", "import numpy")),
        rounds=ROUNDS,
    )


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_an_option(side_by_side, option):
    side_by_side(
        f"hushcount {option} (whole process)",
        lambda: python("-m", "hushcount", option),
        Peer("import numpy", lambda: python("-c", "import numpy"), limit=2),
        rounds=ROUNDS,
    )


def test_explain(side_by_side):
    side_by_side(
        "hushcount explain (whole process)",
        lambda: python("-m", "hushcount", *EXPLAIN),
        Peer("import numpy", lambda: python("-c", "import numpy"), limit=3),
        Peer("import opendp.prelude", lambda: python("-c", "import opendp.prelude"), rounds=7),
        rounds=ROUNDS,
    )


def test_release(side_by_side):
    side_by_side(
        "hushcount release of the example (whole process)",
        lambda: python("-m", "hushcount", *RELEASE),
        Peer("import numpy", lambda: python("-c", "import numpy"), limit=6),
        rounds=ROUNDS,
    )


@pytest.fixture
def ledger(tmp_path):
    from hushcount.ledger import create_budget

    path = tmp_path / "people.ledger"
    create_budget(path, "people", 10_000)
    return path


def test_release_charged_to_a_ledger(side_by_side, ledger):
    arguments = [*RELEASE, "--ledger", ledger, "--budget", "people", "--fresh"]
    side_by_side(
        "hushcount release of the example, charged to a SQLite ledger (whole process)",
        lambda: python("-m", "hushcount", *arguments),
        Peer("import numpy", lambda: python("-c", "import numpy"), limit=8),
        rounds=ROUNDS,
    )


def test_session(side_by_side, ledger):
    arguments = [*RELEASE, "--ledger", ledger, "--budget", "people", "--fresh"]
    side_by_side(
        f"a session of {RELEASES} releases, each charged to a SQLite ledger (whole process)",
        lambda: python("-c", SESSION, ledger),
        Peer(
            f"hushcount release, charged, {RELEASES} times",
            lambda: [python("-m", "hushcount", *arguments) for _ in range(RELEASES)],
            limit=0.1,
            rounds=1,
        ),
        rounds=5,
    )


def test_what_explain_loads(found):
    def rows(told):
        loaded = told[0].splitlines()[-1].split()[1:]
        shown = ", ".join(loaded) or "none of them"
        case = f"of {', '.join(HEAVY)}, loaded by hushcount explain"
        return [Row(case, shown, "", target="none", met=not loaded)]

    found(lambda: python("-c", LOADED), rows, rounds=1)


def python(*arguments):
    """What a new Python process writes to standard output."""
    return subprocess.run([sys.executable, *map(str, arguments)], check=True, capture_output=True, text=True).stdout
