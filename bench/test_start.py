"""How long whole processes take to import or to explain, and what they load for it."""

import subprocess
import sys

import pytest
from rows import Peer, Row

ROUNDS = 15
EXPLAIN = ["explain", "--n", "4820", "--epsilon", "0.5"]
HEAVY = ("pandas", "pydantic", "duckdb", "matplotlib")
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


def test_what_explain_loads(found):
    def rows(told):
        loaded = told[0].splitlines()[-1].split()[1:]
        shown = ", ".join(loaded) or "none of them"
        case = f"of {', '.join(HEAVY)}, loaded by hushcount explain"
        return [Row(case, shown, "", target="none", met=not loaded)]

    found(lambda: python("-c", LOADED), rows, rounds=1)


def python(*arguments):
    """What a new Python process writes to standard output."""
    return subprocess.run([sys.executable, *arguments], check=True, capture_output=True, text=True).stdout
