"""What brokers need, and how they are named."""

import subprocess
from pathlib import Path

import pytest

from ops.launcher.errors import LauncherError
from ops.launcher.kafka.jars import find_java
from ops.launcher.paths import PYTHON


def test_what_is_missing_is_said_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LauncherError, match="needs Java 17 or later, and there is no java"):
        find_java()
    old = tmp_path / "java"
    old.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    old.chmod(0o755)
    with pytest.raises(LauncherError, match=r"needs Java 17 or later, and .* is 11"):
        find_java()


@pytest.mark.parametrize("brokers", ["kafka", "kafka:", ":9092", "a:1,b"])
def test_brokers_without_host_or_port_are_refused(brokers: str) -> None:
    command = [*PYTHON, "ops.launcher", "up", "--kafka", brokers]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "must be HOST:PORT" in done.stderr
