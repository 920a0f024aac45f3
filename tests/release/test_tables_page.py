"""The examples of docs/tables.md run, one after the other in one folder."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from hushcount.cli.tree import every_command

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(sh|python)\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.slow
def test_the_examples_run(tmp_path):
    pytest.importorskip("pandas")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    assert {language for language, _ in BLOCKS} == {"sh", "python"}
    for language, text in BLOCKS:
        if language == "python":
            command = [sys.executable, "-W", "error", "-c", text]
        else:
            shim = f'hushcount() {{ {shlex.quote(sys.executable)} -m hushcount "$@"; }}\n'
            command = ["sh", "-ec", shim + text]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), text
        assert done.stdout


@pytest.mark.parametrize(
    "line", [line for block in re.findall(r"```shell\n(.*?)```", PAGE, flags=re.DOTALL) for line in block.splitlines()]
)
def test_what_needs_a_server_is_spelled_right(line):
    _, command, *arguments = shlex.split(line)
    every_command()[f"hushcount {command}"].make_context(command, arguments)
