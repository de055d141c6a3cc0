"""Commands that need no running instance: proofs and receipts are checked with the public key alone."""

import subprocess
from pathlib import Path

import pytest

from ops.launcher.paths import PYTHON
from ops.tamper_evidence.proofs import Scope
from ops.testing.sealed_logs import (
    KEY,
    ORIGIN,
    OTHER_KEY,
    STREAMS,
    a_log,
    a_log_with_erasures,
    checkpoint_of,
    proof_of,
    receipt_of,
)


@pytest.fixture
def proof(tmp_path: Path) -> Path:
    path = tmp_path / "proof.ndjson"
    path.write_bytes(proof_of(a_log(20), Scope("stream", STREAMS[1])))
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


def test_a_proof_is_checked_offline(proof: Path, key: Path) -> None:
    done = run("audit", "check", proof, "--key", key)
    assert (done.returncode, done.stderr) == (0, "")
    *events, proven = done.stdout.splitlines()
    assert events[1] == "         4  2026-11-21T00:00:00.000004Z  version 2  driver.details_changed"
    assert proven == (
        f"Proven: these are all events (7) of horse:HRS-1 in the log {ORIGIN} up to position 20,"
        " unchanged. Signed by fleetlog."
    )


def test_two_histories_that_were_shown_to_two_people_are_found(
    proof: Path, key: Path, tmp_path: Path
) -> None:
    other, kept = tmp_path / "other", tmp_path / "kept.note"
    history = [*a_log(19), a_log(20)[19]._replace(topic="horse.removed")]
    other.write_bytes(proof_of(history, Scope("all")))
    done = run("audit", "check", proof, other, "--key", key)
    contradiction = "NOT PROVEN: it contradicts another checkpoint, of position 20"
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"{proof}: {contradiction}\n{other}: {contradiction}\n"
    kept.write_text(checkpoint_of(a_log(20)).signed(KEY))
    assert output("audit", "check", other, "--key", key, "--checkpoint", kept) == contradiction
    kept.write_text("?")
    assert "is not a checkpoint of this instance" in output(
        "audit", "check", proof, "--key", key, "--checkpoint", kept
    )


def test_a_proof_from_a_pipe_is_checked(proof: Path) -> None:
    command = [*PYTHON, "ops.launcher", "audit", "check", "/dev/stdin", "--key", str(KEY.verifying_key)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={}, cwd="/") as process:
        printed, _ = process.communicate(proof.read_bytes())
    assert process.returncode == 0
    assert b"Proven: these are all events (7) of horse:HRS-1" in printed


def test_unreadable_files_are_named(proof: Path, key: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    assert (
        output("audit", "check", gone, "--key", key)
        == f"fleetlog: cannot read {gone}: No such file or directory"
    )
    assert (
        output("audit", "check", proof, "--key", gone)
        == f"fleetlog: cannot read {gone}: No such file or directory"
    )
    proof.write_bytes(b"\xff")
    assert output("audit", "check", proof, "--key", key) == "NOT PROVEN: not a proof"


def test_an_invalid_key_is_reported(proof: Path, key: Path) -> None:
    key.write_text("-----BEGIN PRIVATE KEY-----\n")
    expected = f"fleetlog: {key} is not the public key of an instance: not an Ed25519 verification key"
    assert output("audit", "check", proof, "--key", key) == expected


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
