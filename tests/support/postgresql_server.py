"""A real PostgreSQL server on loopback for the tests, from the programs of Debian's package `postgresql`."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

USER, PASSWORD = "keeper", "s3cret-of-the-tests"


class NotThere(Exception):
    """PostgreSQL cannot be run here; the message says why."""


@contextmanager
def running_server() -> Iterator[str]:
    """A new server; its URL, up to the slash before the name of a database."""
    programs = _programs()
    owner = _unprivileged()
    folder = Path(tempfile.mkdtemp(prefix="hushcount-postgresql-"))
    data, password = folder / "data", folder / "password"
    try:
        password.write_text(PASSWORD)
        if owner:
            shutil.chown(folder, owner)
            shutil.chown(password, owner)
        port = _free_port()
        _run(
            owner,
            programs / "initdb",
            f"--pgdata={data}",
            f"--username={USER}",
            f"--pwfile={password}",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
        )
        # Clients are killed, the machine is not: the server need not wait for the disk.
        settings = f"-c fsync=off -c listen_addresses=127.0.0.1 -p {port} -c unix_socket_directories=''"
        _run(owner, programs / "pg_ctl", f"--pgdata={data}", "-o", settings, "-l", folder / "log", "-w", "start")
        try:
            yield f"postgresql://{USER}:{PASSWORD}@127.0.0.1:{port}/"
        finally:
            _run(owner, programs / "pg_ctl", f"--pgdata={data}", "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs() -> Path:
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    if not folders:
        raise NotThere("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    return folders[-1]


def _unprivileged() -> str | None:
    """The user to run as: PostgreSQL refuses to be run by root."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        raise NotThere("PostgreSQL cannot be run by root, and there is no user postgres") from None


def _run(owner: str | None, *command: object) -> None:
    prefix = [] if owner is None else ["runuser", "-u", owner, "--"]
    # Not captured: the server would keep a pipe open.
    done = subprocess.run(
        [*prefix, *map(str, command)],
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{Path(str(command[0])).name} failed with exit code {done.returncode}")


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
