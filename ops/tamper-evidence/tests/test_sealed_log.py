"""The folder with the seals: what is written to it, and when nothing is."""

from pathlib import Path

import pytest

from ops.tamper_evidence.sealed_log import BadSeals
from ops.testing.sealed_logs import KEY, a_log, checkpoint_of, hashes_of, seal


def test_interrupted_sealing_continues(tmp_path: Path) -> None:
    rows = a_log(20)
    seals = seal(tmp_path, rows, 10)
    hashes = (tmp_path / "hashes").read_bytes()
    seal(tmp_path / "whole", rows, 10, 20)
    name = f"checkpoints/{20:019}.note"
    (tmp_path / "whole" / name).rename(tmp_path / name)
    (tmp_path / "hashes").write_bytes(hashes + b"x" * 33)  # the crash came when it had begun with these
    assert (seals.hashed, seals.hash_bytes % 32) == (11, 1)
    (tmp_path / "hashes").write_bytes(hashes + b"x")
    seals.append(hashes_of(rows[seals.hashed :]))
    assert list(seals.hashes()) == hashes_of(rows)
    assert seals.latest(KEY.verifying_key) == checkpoint_of(rows, previous=10)


def test_sealing_refuses_changed_seals(tmp_path: Path) -> None:
    rows = a_log(20)
    seals = seal(tmp_path, rows, 10)
    (tmp_path / "hashes").write_bytes((tmp_path / "hashes").read_bytes()[:-32])
    with pytest.raises(BadSeals):
        seals.seal(hashes_of(rows[10:]), checkpoint_of(rows, previous=10), KEY)
