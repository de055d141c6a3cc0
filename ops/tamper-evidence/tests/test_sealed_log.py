"""The folder with the seals: what is written to it, and when nothing is."""

from dataclasses import replace
from pathlib import Path

import pytest

from ops.tamper_evidence.accesses import AccessHead
from ops.tamper_evidence.sealed_log import BadSeals, SealedLog
from ops.testing.sealed_logs import KEY, a_log, checkpoint_of, hashes_of, seal


def test_interrupted_sealing_continues(tmp_path: Path) -> None:
    rows = a_log(20)
    seals = seal(tmp_path, rows, 10)
    hashes = (tmp_path / "hashes").read_bytes()
    seal(tmp_path / "whole", rows, 10, 20)
    (tmp_path / "whole" / "checkpoints").rename(tmp_path / "checkpoints")
    (tmp_path / "hashes").write_bytes(hashes + b"x" * 33)  # the crash came when it had begun with these
    assert (seals.hashed, seals.hash_bytes % 32) == (11, 1)
    (tmp_path / "hashes").write_bytes(hashes + b"x")
    seals.append(hashes_of(rows[seals.hashed :]))
    assert list(seals.hashes()) == hashes_of(rows)
    assert seals.latest(KEY.verifying_key) == checkpoint_of(rows, previous=10)


@pytest.mark.parametrize("left", [1, 80, 200])
def test_a_note_that_a_crash_has_cut_off_is_replaced(tmp_path: Path, left: int) -> None:
    rows = a_log(20)
    seals = seal(tmp_path, rows, 10)
    first = (tmp_path / "checkpoints").read_bytes()
    (tmp_path / "checkpoints").write_bytes(
        first + checkpoint_of(rows, previous=10).signed(KEY).encode()[:left]
    )
    for each in (seals, SealedLog(tmp_path)):
        assert (each.newest(), list(each.notes())) == (10, [first.decode()])
    seals.seal(hashes_of(rows[10:]), checkpoint_of(rows, previous=10), KEY)
    seal(tmp_path / "whole", rows, 10, 20)
    assert (tmp_path / "checkpoints").read_bytes() == (tmp_path / "whole" / "checkpoints").read_bytes()


def test_the_last_of_several_notes_of_a_size_counts(tmp_path: Path) -> None:
    rows = a_log(20)
    seals = seal(tmp_path, rows, 10)
    later = replace(checkpoint_of(rows[:10]), accesses=AccessHead(1, bytes(32)))
    note = seals.seal([], later, KEY)
    seals.seal(hashes_of(rows[10:]), checkpoint_of(rows, previous=10), KEY)
    for each in (seals, SealedLog(tmp_path)):
        assert each.note(10) == note
        assert list(each.checkpoints(KEY.verifying_key)) == [later, checkpoint_of(rows, previous=10)]
        assert len(list(each.notes())) == 3


def test_sealing_refuses_changed_seals(tmp_path: Path) -> None:
    rows = a_log(20)
    seals = seal(tmp_path, rows, 10)
    (tmp_path / "hashes").write_bytes((tmp_path / "hashes").read_bytes()[:-32])
    with pytest.raises(BadSeals):
        seals.seal(hashes_of(rows[10:]), checkpoint_of(rows, previous=10), KEY)
