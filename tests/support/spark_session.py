"""A small local Spark session for the tests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

OLDEST_JAVA = 17
_SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    # What is compiled once more, for speed, is not run often enough here to pay for it.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.driver.memory": "512m",
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": "1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


class NotThere(Exception):
    """Spark cannot be run here; the message says why."""


@contextmanager
def running_spark(folder: str) -> Iterator[Any]:
    """A session of one thread, which keeps its tables under `folder`."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise NotThere("pyspark is not installed (pip install 'hushcount[pyspark]')") from None
    _check_java()
    builder = SparkSession.builder.master("local[1]").appName("tests").config("spark.sql.warehouse.dir", folder)
    for name, value in _SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")  # where Spark looks first
    java = shutil.which("java") if home is None else shutil.which("java", path=f"{home}/bin")
    if java is None:
        raise NotThere("Java is not installed (Debian: apt-get install openjdk-17-jre-headless)")
    told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "([0-9]+)', told)
    if version is None or int(version[1]) < OLDEST_JAVA:
        raise NotThere(f"Java is older than {OLDEST_JAVA} (Debian: apt-get install openjdk-17-jre-headless)")
