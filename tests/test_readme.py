"""Every command and snippet of the README runs, and its figures are true."""

import re
import shlex
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

from hushcount import canonical, epsilon_for, from_matrix, nearest
from hushcount.cli.tree import every_command
from hushcount.numbers.text import upper_text
from hushcount.promise import GaussianDP

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "examples/README.md",
    "bench/README.md",
    *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").glob("*.md")),
]


def blocks(language):
    """The blocks of a language, in which a line that is continued on the next is one."""
    found = re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)
    return [re.sub(r" \\\n *", " ", block) for block in found]


def python(folder, *arguments):
    return subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def checkout(tmp_path):
    """A folder with the examples, in which files may be made."""
    copytree(ROOT / "examples", tmp_path / "examples")  # what a plan writes is beside it
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("code", blocks("python"))
def test_python_snippets_run(checkout, code):
    done = python(checkout, "-W", "error", "-c", code)
    assert done.returncode == 0, done.stderr


COMMANDS = [
    [shlex.split(line, comments=True) for line in block.splitlines() if line.startswith("hushcount ")]
    for block in blocks("sh")
]


@pytest.mark.slow
@pytest.mark.early
@pytest.mark.parametrize("commands", [block for block in COMMANDS if block], ids=lambda commands: " ".join(commands[0]))
def test_commands_run(checkout, commands):
    """Those of one block after each other, in one folder."""
    for _, *arguments in commands:
        done = python(checkout, "-m", "hushcount", *arguments)
        assert (done.returncode, done.stderr) == (0, ""), arguments
        assert done.stdout


@pytest.mark.parametrize("line", [line for block in blocks("shell") for line in block.splitlines()])
def test_commands_that_need_a_server_are_spelled_right(line):
    _, command, *arguments = shlex.split(line)
    every_command()[f"hushcount {command}"].make_context(command, arguments)


@pytest.mark.slow
def test_the_shown_output_is_what_the_command_prints():
    (shown,) = blocks("console")
    command, released, *rest = shown.splitlines()
    assert rest.pop() == "..."
    _, *arguments = shlex.split(command.removeprefix("$ "))
    printed = python(ROOT, "-m", "hushcount", *arguments).stdout.splitlines()
    assert re.fullmatch(r"Released count: \d+", released)
    assert re.fullmatch(r"Released count: \d+", printed[0])
    assert printed[1 : len(rest) + 1] == rest


def test_make_targets_exist():
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^make (\w+)$", README, flags=re.MULTILINE):
        assert f"\n{target}:" in makefile


def test_compared_figures():
    """Truncated geometric: two-sided geometric noise, clamped to 0..n."""
    n, q = 7, np.exp(-0.5)
    i, j = np.indices((n + 1, n + 1))
    clamped = np.where((j == 0) | (j == n), 1 / (1 + q), (1 - q) / (1 + q)) * q ** np.abs(i - j)
    for name, mechanism in (
        ("**nearest**", nearest(n, 0.5)),
        ("canonical", canonical(n, 0.5)),
        ("truncated geometric", from_matrix(clamped)),
    ):
        row = next(line for line in README.splitlines() if line.startswith(f"| {name} | "))
        wrong, absolute = (float(cell.strip(" *")) for cell in row.split("|")[2:4])
        assert round(mechanism.error_probability, 3) == wrong
        assert round(mechanism.expected_absolute_error(), 2) == absolute


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    text = (ROOT / page).read_text()
    for target in re.findall(r"\]\(([^)]+)\)", text):
        path, _, anchor = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        assert file.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", file.read_text(), flags=re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert anchor in slugs, target


def test_figures_of_a_hundred_releases():
    in_mu, summed = nearest(1000, mu="0.0236"), nearest(1000, "0.01")
    assert GaussianDP.of("0.0236").of_cells(100) == GaussianDP.of("0.236")
    assert GaussianDP.of("0.236").least_epsilon(Fraction(1, 10**6)) <= 1
    figures = {
        "exactly right, worst case": [f"{100 - 100 * each.error_probability:.2f}%" for each in (in_mu, summed)],
        r"expected \|error\|, worst case": [f"{each.expected_absolute_error():.1f}" for each in (in_mu, summed)],
        "off by more than 20, worst case": [f"{100 * each.probability_beyond(20):.1f}%" for each in (in_mu, summed)],
    }
    for words, (first, second) in figures.items():
        assert f"| {words} | {first} | {second} |\n" in README


def test_figures_of_prices():
    """The epsilon of 0.3 sqrt(k), and that of k cells that are right as often."""
    cells, page = (1, 2, 10, 40, 100, 1000), (ROOT / "docs/tables.md").read_text()
    assert epsilon_for(1000, 0, 1 - Fraction(nearest(1000, mu="0.3").error_probability)) == Decimal("0.24")
    tables = [GaussianDP.of("0.3").of_cells(k) for k in cells]
    implied = [upper_text(table.least_epsilon(Fraction(1, 10**6)), 3) for table in tables]
    assert f"| which implies, at delta 1e-6: epsilon | {' | '.join(implied)} |\n" in page
    assert f"| drawn at mu 0.3 each: mu | {' | '.join(f'{float(table):.3g}' for table in tables)} |\n" in page
    sums = " | ".join(f"{0.24 * k:.4g}" for k in cells)
    assert f"| drawn at epsilon 0.24 each: epsilon | {sums} |\n" in page
