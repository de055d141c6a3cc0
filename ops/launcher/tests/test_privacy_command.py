"""`./fleetlog privacy check` where no product runs: a receipt is checked with nothing but the key."""

import subprocess
from pathlib import Path

import pytest

from ops.launcher.paths import PYTHON
from ops.testing.sealed_logs import KEY, ORIGIN, OTHER_KEY, a_log_with_erasures, receipt_of


@pytest.fixture
def receipt(tmp_path: Path) -> Path:
    path = tmp_path / "receipt.json"
    path.write_text(receipt_of(a_log_with_erasures(20), 17))
    return path


def check(receipt: Path, key: object) -> subprocess.CompletedProcess[str]:
    """Run the command with no environment, so that it can know of no database."""
    command = [*PYTHON, "ops.launcher", "privacy", "check", str(receipt), "--key", str(key)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={}, cwd="/")


def test_a_receipt_is_checked_offline_and_told_in_plain_words(receipt: Path) -> None:
    done = check(receipt, KEY.verifying_key)
    assert (done.returncode, done.stderr) == (0, "")
    told = done.stdout.split("\nNot covered:\n")[0]
    assert told == (
        f"Proven: position 17 of the log {ORIGIN} erases driver:EMP-2, at 2026-11-21T00:00:00Z.\n"
        "Signed for by fleetlog:\n"
        "  asked for by auth0|1 at 2026-11-20T00:00:00.000Z"
        " (asked, GDPR article 17(1)(b), DPDP Act 2023 section 12(3))\n"
        "  confirmed by auth0|2 at 2026-11-21T00:00:00.000Z\n"
        "  destroyed: 1 keys, of 5 events (0 more are in the clear), and of 3 minutes of searches for them;"
        " what wrapped them, of epoch 1, too\n"
        "  services: 1 have forgotten, 0 are gone\n"
        "  looked for 9 texts in 99 rows: none was found"
    )


@pytest.mark.parametrize("key", [KEY, OTHER_KEY])
def test_what_proves_nothing_is_told_in_one_line(receipt: Path, key: object) -> None:
    if key is KEY:
        receipt.write_text(receipt.read_text().replace('"proof"', '"prove"'))
    done = check(receipt, OTHER_KEY.verifying_key if key is OTHER_KEY else KEY.verifying_key)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("NOT PROVEN: ")
