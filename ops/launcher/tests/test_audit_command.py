"""`./fleetlog audit` where no product runs: a bundle is checked with nothing but the key."""

import subprocess
from pathlib import Path

import pytest

from ops.launcher.paths import PYTHON
from ops.testing.sealed_logs import KEY, ORIGIN, OTHER_KEY, STREAMS, a_log, bundle_of


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    path = tmp_path / "bundle.json"
    path.write_text(bundle_of(a_log(20), STREAMS[1]))
    return path


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "public-key"
    path.write_text(f"{KEY.verifying_key}\n")
    return path


def audit(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command with no environment, so that it can know of no database."""
    command = [*PYTHON, "ops.launcher", "audit", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={}, cwd="/")


def output(*words: str | Path) -> str:
    """Run one that must fail, and return the one line that it says."""
    done = audit(*words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    return done.stderr.strip()


def test_a_bundle_is_checked_offline(bundle: Path, key: Path) -> None:
    done = audit("check", bundle, "--key", key)
    assert (done.returncode, done.stderr) == (0, "")
    *events, proven, counted = done.stdout.splitlines()
    assert events[1] == "         4  2026-11-21T00:00:00.000004Z  version 2  driver.details_changed"
    assert proven == f"Proven: these are the first 7 events of horse:HRS-1 in the log {ORIGIN}, unchanged."
    assert counted == "Signed for by fleetlog: there were no more of them when the log had 20 events."


def test_the_key_can_be_given_as_it_is(bundle: Path) -> None:
    assert audit("check", bundle, "--key", str(KEY.verifying_key)).returncode == 0


def test_a_bundle_that_was_tampered_with_proves_nothing(bundle: Path, key: Path) -> None:
    bundle.write_text(bundle.read_text().replace('"originator_version": 2', '"originator_version": 3'))
    said = "NOT PROVEN: the event at position 4 is not what was sealed"
    assert output("check", bundle, "--key", key) == said


def test_a_bundle_proves_nothing_to_another_key(bundle: Path) -> None:
    said = "NOT PROVEN: its checkpoint cannot be trusted: not signed by fleetlog"
    assert output("check", bundle, "--key", str(OTHER_KEY.verifying_key)) == said


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"format": "fleetlog-history-bundle/1"}'])
def test_what_is_no_bundle_is_reported(bundle: Path, key: Path, content: bytes) -> None:
    bundle.write_bytes(content)
    assert output("check", bundle, "--key", key).startswith("NOT PROVEN: ")


def test_files_that_cannot_be_read_are_named(bundle: Path, key: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    assert output("check", gone, "--key", key) == f"fleetlog: cannot read {gone}: No such file or directory"
    assert (
        output("check", bundle, "--key", gone) == f"fleetlog: cannot read {gone}: No such file or directory"
    )
    bundle.write_bytes(b"\xff")
    assert output("check", bundle, "--key", key) == f"fleetlog: {bundle} is no text"


def test_what_is_no_key_is_reported(bundle: Path, key: Path) -> None:
    key.write_text("-----BEGIN PRIVATE KEY-----\n")
    said = f"fleetlog: {key} is no public key of an instance: not an Ed25519 verification key"
    assert output("check", bundle, "--key", key) == said


@pytest.mark.parametrize("words", [["verify"], ["export", "EMP-1"]])
def test_verify_and_export_need_a_running_instance(tmp_path: Path, words: list[str]) -> None:
    data = ["--data", str(tmp_path)]
    for call in ([*data, *words], [*words, *data]):
        assert output(*call) == f"fleetlog: nothing is running on {tmp_path}; ./fleetlog up starts it"
