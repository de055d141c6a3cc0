"""Commands that need no running instance: bundles and receipts are checked with the public key alone."""

import subprocess
from pathlib import Path

import pytest

from ops.launcher.paths import PYTHON
from ops.testing.sealed_logs import (
    KEY,
    ORIGIN,
    OTHER_KEY,
    STREAMS,
    a_log,
    a_log_with_erasures,
    bundle_of,
    receipt_of,
)


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


@pytest.fixture
def receipt(tmp_path: Path) -> Path:
    path = tmp_path / "receipt.json"
    path.write_text(receipt_of(a_log_with_erasures(20), 17))
    return path


def run(*words: object) -> subprocess.CompletedProcess[str]:
    """Run a command with an empty environment, and so without a database."""
    command = [*PYTHON, "ops.launcher", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={}, cwd="/")


def output(*words: object) -> str:
    """Run a command that must fail, and return its one line of output."""
    done = run(*words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    return done.stderr.strip()


def test_a_bundle_is_checked_offline(bundle: Path, key: Path) -> None:
    done = run("audit", "check", bundle, "--key", key)
    assert (done.returncode, done.stderr) == (0, "")
    *events, proven, counted = done.stdout.splitlines()
    assert events[1] == "         4  2026-11-21T00:00:00.000004Z  version 2  driver.details_changed"
    assert proven == f"Proven: these are the first 7 events of horse:HRS-1 in the log {ORIGIN}, unchanged."
    assert counted == "Signed by fleetlog: the record had no other events when the log had 20 events."


def test_the_key_can_be_given_directly(bundle: Path) -> None:
    assert run("audit", "check", bundle, "--key", str(KEY.verifying_key)).returncode == 0


def test_a_modified_bundle_is_not_proven(bundle: Path, key: Path) -> None:
    bundle.write_text(bundle.read_text().replace('"originator_version": 2', '"originator_version": 3'))
    expected = "NOT PROVEN: the event at position 4 does not match its seal"
    assert output("audit", "check", bundle, "--key", key) == expected


def test_unreadable_files_are_named(bundle: Path, key: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    assert (
        output("audit", "check", gone, "--key", key)
        == f"fleetlog: cannot read {gone}: No such file or directory"
    )
    assert (
        output("audit", "check", bundle, "--key", gone)
        == f"fleetlog: cannot read {gone}: No such file or directory"
    )
    bundle.write_bytes(b"\xff")
    assert output("audit", "check", bundle, "--key", key) == f"fleetlog: {bundle} is not a text file"


def test_an_invalid_key_is_reported(bundle: Path, key: Path) -> None:
    key.write_text("-----BEGIN PRIVATE KEY-----\n")
    expected = f"fleetlog: {key} is not the public key of an instance: not an Ed25519 verification key"
    assert output("audit", "check", bundle, "--key", key) == expected


@pytest.mark.parametrize("words", [["verify"], ["export", "EMP-1"]])
def test_verify_and_export_need_a_running_instance(tmp_path: Path, words: list[str]) -> None:
    data = ["--data", str(tmp_path)]
    for call in ([*data, *words], [*words, *data]):
        assert (
            output("audit", *call) == f"fleetlog: nothing is running on {tmp_path}; ./fleetlog up starts it"
        )


def test_a_receipt_is_checked_offline_and_described(receipt: Path) -> None:
    done = run("privacy", "check", receipt, "--key", KEY.verifying_key)
    assert (done.returncode, done.stderr) == (0, "")
    described = done.stdout.split("\nNot covered:\n")[0]
    assert described == (
        f"Proven: position 17 of the log {ORIGIN} erases driver:EMP-2, at 2026-11-21T00:00:00Z.\n"
        "Signed by fleetlog:\n"
        "  requested by auth0|1 at 2026-11-20T00:00:00.000Z"
        " (asked, GDPR article 17(1)(b), DPDP Act 2023 section 12(3))\n"
        "  confirmed by auth0|2 at 2026-11-21T00:00:00.000Z\n"
        "  destroyed: 1 keys, of 5 encrypted events (and 0 unencrypted ones), and of 3 minutes of searches;"
        " and their key-encryption key, of epoch 1\n"
        "  services: 1 have dropped the keys, 0 are no longer running\n"
        "  searched 99 rows for 9 texts: none was found"
    )


@pytest.mark.parametrize("is_modified", [True, False])
def test_an_invalid_receipt_is_reported_in_one_line(receipt: Path, *, is_modified: bool) -> None:
    if is_modified:
        receipt.write_text(receipt.read_text().replace('"proof"', '"prove"'))
    key = (KEY if is_modified else OTHER_KEY).verifying_key
    assert output("privacy", "check", receipt, "--key", key).startswith("NOT PROVEN: ")


def test_schemas_of_projections_need_no_instance(tmp_path: Path) -> None:
    done = run("projections", "--data", tmp_path / "none", "schemas")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("released schemas; nothing differs\n")
