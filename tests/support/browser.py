"""A real browser for the tests, Debian's package `chromium`, and a record of what it asks for."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HOST = "http://page.test"


class NotThere(Exception):
    """No browser can be run here; the message says why."""


class Browser:
    """A browser that reaches nothing but this process, which answers with its pages, and that logs what they ask for.

    Attributes:
        asked: the addresses that the pages of the last call asked for. The browser's own requests are not among them.
    """

    def __init__(self, program: str, folder: Path, port: int, pages: dict[str, str]) -> None:
        self.asked: set[str] = set()
        self._pages, self._log = pages, folder / "requests.json"
        self._command = [
            program,
            "--headless=new",
            "--no-sandbox",  # tests may run as root
            "--disable-gpu",
            "--hide-scrollbars",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            f"--user-data-dir={folder}",
            f"--log-net-log={self._log}",
            f"--proxy-server=http://127.0.0.1:{port}",
            "--proxy-bypass-list=<-loopback>",
            "--timeout=10000",
        ]

    def dom_of(self, pages: Mapping[str, str]) -> str:
        """The first page as it is once all is loaded and its scripts have run; others are there by their path."""
        self._pages.clear()
        self._pages.update({f"{HOST}{path}": text for path, text in pages.items()})
        done = subprocess.run(
            [*self._command, "--dump-dom", next(iter(self._pages))],
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=True,
        )
        events = json.loads(self._log.read_text(encoding="utf-8"))["events"]
        requests = [each["params"] for each in events if "initiator" in each.get("params", {})]
        self.asked = {each["url"] for each in requests if each["initiator"] == HOST}
        return done.stdout


@contextmanager
def running_browser(folder: Path) -> Iterator[Browser]:
    """A browser with a profile of its own in `folder`, which may be asked for the DOM of pages."""
    program = shutil.which("chromium")
    if program is None:
        raise NotThere("chromium is not installed (Debian: apt-get install chromium)")
    pages: dict[str, str] = {}

    class Answers(BaseHTTPRequestHandler):
        def answer(self) -> None:
            found = pages.get(self.path)
            self.send_response(404 if found is None else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write((found or "").encode())

        do_GET = do_POST = do_HEAD = do_CONNECT = answer  # noqa: N815

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        browser = Browser(program, folder, server.server_address[1], pages)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield browser
        finally:
            server.shutdown()
            thread.join()
