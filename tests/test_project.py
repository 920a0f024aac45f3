"""The promises of the files around the code: one set-up, one version, honest locks, nothing from anyone's machine."""

from __future__ import annotations

import csv
import importlib.metadata
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import hushcount

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCKS = {
    "requirements-core.lock": {"build"},
    "requirements.lock": set(PROJECT["optional-dependencies"]) - {"bench"},
    "bench/requirements.lock": {"bench", "build", "files", "postgresql"},
}
"""Each lock, and the extras it is for."""
TEST_COMMAND = "make test"

# Folders that only exist on some machine, and the hosts that packages come from.
MACHINE_PATH = re.compile(r"(?<![\w.:/-])/(?:home|Users|root|work|mnt|tmp)/\w")
REGISTRY_HOST = re.compile(r"\b(?:pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|anaconda\.org)\b")


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def locked(name: str) -> dict[str, Version]:
    pins = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", read(name), flags=re.MULTILINE)
    return {canonicalize_name(package): Version(version) for package, version in pins}


# --- one way to set up, check and run --------------------------------------------------------------------------------


@pytest.mark.parametrize("target", [
    "demo", "test", "quick", "lint", "types", "coverage", "format", "fuzz", "bench", "docs", "lock", "clean",
])  # fmt: skip
def test_makefile_has_target(target: str) -> None:
    makefile = read("Makefile")
    phony = re.search(r"^\.PHONY:(.*)$", makefile, flags=re.MULTILINE)
    assert phony is not None
    assert target in phony[1].split()
    assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE)
    assert f"make {target}" in read("CONTRIBUTING.md")


def test_ci_runs_exactly_the_test_command_of_the_readme() -> None:
    blocks = re.findall(r"^```\w*\n(.*?)^```", read("README.md"), flags=re.MULTILINE | re.DOTALL)
    commands = [line.split("#")[0].strip() for block in blocks for line in block.splitlines()]
    assert TEST_COMMAND in commands

    script = [line for line in read(".ci/run").splitlines() if line]
    assert script[:2] == ["#!/usr/bin/env bash", "set -euo pipefail"]
    assert script[-1] == TEST_COMMAND
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_ci_installs_what_the_tests_need_besides_and_leaves_none_out() -> None:
    script = read(".ci/run").splitlines()
    assert script[2] == 'cd "$(dirname "${BASH_SOURCE[0]}")/.."'
    looked_for = [line for line in script if "missing+=(" in line]
    assert [re.findall(r"command -v (\w+)|missing\+=\(([\w-]+)\)", line) for line in looked_for] == [
        [("initdb", ""), ("", "postgresql")],
        [("java", ""), ("", "openjdk-17-jre-headless")],
        [("chromium", ""), ("", "chromium")],
    ]
    assert any("apt-get -qq install --no-install-recommends" in line and '"${missing[@]}"' in line for line in script)
    assert script[-2:] == ["export POSTGRESQL_REQUIRED=1 SPARK_REQUIRED=1 BROWSER_REQUIRED=1", TEST_COMMAND]


def test_hooks_run_what_the_makefile_runs_and_nothing_from_elsewhere() -> None:
    config = read(".pre-commit-config.yaml")
    assert re.findall(r"repo: *(\S+)", config) == ["local"]
    entries = re.findall(r"entry: *(\S.*)$", config, flags=re.MULTILINE)
    assert entries == ["make lint", "make types"]
    assert config.count("language: system") == config.count("pass_filenames: false") == len(entries)


def test_every_marker_is_told_in_contributing() -> None:
    pytest_options = tomllib.loads(read("pyproject.toml"))["tool"]["pytest"]["ini_options"]
    assert "--strict-markers" in pytest_options["addopts"]
    for marker in pytest_options["markers"]:
        assert f"`{marker.partition(':')[0]}`" in read("CONTRIBUTING.md")


# --- one version, declared types -------------------------------------------------------------------------------------


def test_version_is_the_same_everywhere() -> None:
    assert hushcount.__version__ == importlib.metadata.version("hushcount")
    assert f"\n## {hushcount.__version__} " in read("CHANGELOG.md")


def test_package_declares_its_types() -> None:
    assert (Path(hushcount.__file__).parent / "py.typed").is_file()


# --- dependencies ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_holds_every_dependency_at_or_above_its_tested_bound(lock: str) -> None:
    extras = PROJECT["optional-dependencies"]
    chosen = LOCKS[lock]
    wanted = [Requirement(line) for line in PROJECT["dependencies"]]
    wanted += [Requirement(line) for extra in chosen for line in extras[extra]]
    pins = locked(lock)
    for requirement in wanted:
        if requirement.name == "hushcount":  # its extras are among those chosen
            assert requirement.extras <= chosen
            continue
        line = str(requirement)
        assert re.search(r">=\d+(\.\d+)+", str(requirement.specifier)), f"{line} states no tested lower bound"
        assert pins[canonicalize_name(requirement.name)] in requirement.specifier


def test_the_core_is_locked_as_the_tests_run_with_it_and_has_nothing_besides() -> None:
    core, everything = (locked(name) for name in ("requirements-core.lock", "requirements.lock"))
    assert core.items() < everything.items()
    assert not core.keys() & {"mypy", "pytest", "ruff", "scipy", "matplotlib", "pyspark"}


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_hashes_every_pin_and_names_no_place(lock: str) -> None:
    text = read(lock)
    entries = re.findall(r"^\S.*(?:\n .*)*", text, flags=re.MULTILINE)
    assert len(entries) == len(locked(lock)) > 0
    for entry in entries:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry.splitlines()[0]
    assert "://" not in text
    assert not re.search(r"^\s*(?:#|-i\b|-f\b|--(?!hash=))", text, flags=re.MULTILINE)


def test_contributing_states_the_licence_of_every_run_time_dependency() -> None:
    table = re.findall(r"^\| ([\w-]+) +\| [^|]+ \| +(\S[^|]*) \|$", read("CONTRIBUTING.md"), flags=re.MULTILINE)
    stated = {package for package, _licence in table if package != "package"}
    assert stated == {Requirement(line).name for line in PROJECT["dependencies"]}


# --- the example data ------------------------------------------------------------------------------------------------


def test_example_data_is_what_its_readme_says() -> None:
    raw = (ROOT / "examples" / "hiv_results.csv").read_bytes()
    assert b"\r" not in raw
    assert raw.endswith(b"\n")
    header, *rows = csv.reader(raw.decode("utf-8").splitlines())
    assert header == ["villnum", "got", "distvct", "tinc", "any", "age", "hiv2004"]
    assert len(rows) == 4820
    assert {len(row) for row in rows} == {len(header)}

    readme = read("examples/README.md")
    assert "4,820 rows, 7 columns" in readme
    table = re.findall(r"^\| `(\w+)` +\|[^|]*\| +([\d,]+) \|", readme, flags=re.MULTILINE)
    missing = {name: sum(row[column] == "" for row in rows) for column, name in enumerate(header)}
    assert {name: int(number.replace(",", "")) for name, number in table} == missing

    assert f"--n {len(rows)} " in read("Makefile")
    for column, name in enumerate(header):
        if name not in {"distvct", "tinc"}:
            assert all(re.fullmatch(r"-?\d+|", row[column]) for row in rows), f"{name} is not whole numbers"


# --- nothing from anyone's machine -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def project_files() -> list[Path]:
    """Files that git tracks or would track."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, check=True, capture_output=True).stdout.decode("utf-8")
    return [path for name in listing.split("\0") if name and (path := ROOT / name).is_file()]


@pytest.mark.parametrize(("what", "pattern"), [("machine path", MACHINE_PATH), ("registry host", REGISTRY_HOST)])
def test_no_file_names(what: str, pattern: re.Pattern[str], project_files: list[Path]) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {what} {match[0]}"
        for path in project_files
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1)
        if (match := pattern.search(line))
    ]
    assert found == []


@pytest.mark.parametrize("line", ["cd /" + "work/main", 'open("/' + 'tmp/w/x.csv")', "/" + "home/me/x"])
def test_a_machine_path_is_recognised(line: str) -> None:
    assert MACHINE_PATH.search(line)


@pytest.mark.parametrize("line", ["src/work/main", "https://example.org/work/main", "postgres:///tmp/x", "a /tmp"])
def test_other_paths_are_not(line: str) -> None:
    assert not MACHINE_PATH.search(line)
