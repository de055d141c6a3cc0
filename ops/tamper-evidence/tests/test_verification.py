"""Verification detects and locates every change of a sealed log or its seals."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from ops.tamper_evidence.leaves import LogRow
from ops.tamper_evidence.sealed_log import SealedLog
from ops.tamper_evidence.signed_notes import SIGNATURE_MARK
from ops.tamper_evidence.verification import Verdict, Verification
from ops.testing.sealed_logs import (
    BEGIN,
    KEY,
    ORIGIN,
    OTHER_KEY,
    a_log,
    add_unsigned,
    change_note,
    checkpoint_of,
    hashes_of,
    seal,
)

CHANGED = "an event does not match its seal"


def verify(rows: list[LogRow], seals: SealedLog, **more: Any) -> Verdict:
    verification = Verification(seals, KEY.verifying_key, **{"origin": ORIGIN, **more})
    verification.add(rows[:5])
    verification.add(rows[5:])
    return verification.verdict()


def verdict_on(rows: list[LogRow], seals: SealedLog, **more: Any) -> tuple[str | None, int | None]:
    verdict = verify(rows, seals, **more)
    return verdict.fault, verdict.position


def test_unchanged_log_has_no_fault(tmp_path: Path) -> None:
    rows = a_log(20)
    verdict = verify(rows, seal(tmp_path, rows, 3, 10, 17))
    assert verdict == Verdict(17, 20, unsealed_since=rows[17].moment)
    assert verify(rows[:17], SealedLog(tmp_path)) == Verdict(17, 17)
    assert verify([], SealedLog(tmp_path / "none")) == Verdict(0, 0)


def test_checkpoint_with_other_last_events_is_located(tmp_path: Path) -> None:
    rows, seals = a_log(20), SealedLog(tmp_path)
    seals.seal(hashes_of(rows), replace(checkpoint_of(rows), streams=checkpoint_of(rows[:19]).streams), KEY)
    assert verdict_on(rows, seals) == ("the last events of streams do not match their seal", 20)


CHANGES: dict[str, Any] = {
    "originator_id": "driver:EMP-9",
    "originator_version": 99,
    "topic": "driver.removed",
    "state": b"{}",
    "moment": BEGIN,
    "command_id": UUID(int=99),
}


@pytest.mark.parametrize("column", CHANGES)
@pytest.mark.parametrize("position", [1, 7, 17])
def test_changed_column_is_located(tmp_path: Path, column: str, position: int) -> None:
    rows = a_log(20)
    seals = seal(tmp_path, rows, 3, 10, 17)
    values: list[Any] = [CHANGES[column], None]
    for value in values:
        changed = [*rows]
        changed[position - 1] = rows[position - 1]._replace(**{column: value})
        if changed != rows:
            assert verdict_on(changed, seals) == (CHANGED, position)


def swap(rows: list[LogRow]) -> None:
    rows[6:8] = [rows[7]._replace(position=7), rows[6]._replace(position=8)]


@pytest.mark.parametrize(
    ("tamper", "found"),
    [
        (lambda rows: rows.pop(6), ("an event is missing", 7)),
        (lambda rows: rows.insert(6, rows[6]), ("an event stands there twice or out of place", 7)),
        (swap, (CHANGED, 7)),
        (lambda rows: rows.__delitem__(slice(15, None)), ("the log ends before its last seal", 16)),
        (lambda rows: rows.append(rows[-1]._replace(position=22)), ("an event is missing", 21)),
    ],
)
def test_missing_repeated_and_swapped_events_are_detected(
    tmp_path: Path, tamper: Callable[[list[LogRow]], Any], found: tuple[str, int]
) -> None:
    rows = a_log(20)
    seals = seal(tmp_path, rows, 3, 10, 17)
    tamper(rows)
    assert verdict_on(rows, seals) == found


@pytest.mark.parametrize("then", [lambda rows: rows.pop(7), lambda rows: rows.__delitem__(slice(8, None))])
def test_first_of_two_faults_before_a_checkpoint_is_reported(
    tmp_path: Path, then: Callable[[list[LogRow]], Any]
) -> None:
    rows = a_log(20)
    seals = seal(tmp_path, rows, 3, 10, 17)
    rows[5] = rows[5]._replace(state=b"{}")
    then(rows)
    assert verdict_on(rows, seals) == (CHANGED, 6)


def test_change_with_an_adapted_hash_is_located_between_checkpoints(tmp_path: Path) -> None:
    rows = a_log(20)
    seals = seal(tmp_path, rows, 3, 10, 17)
    rows[5] = rows[5]._replace(state=b"{}")
    (tmp_path / "hashes").write_bytes(b"".join(hashes_of(rows[:17])))
    assert verdict_on(rows, seals) == (
        f"{CHANGED}, nor does its hash: one of 4 to 10, which begin",
        4,
    )


@pytest.mark.parametrize(
    ("tamper", "found"),
    [
        (lambda data: data[:160] + bytes(32) + data[192:], ("the file of hashes does not match its seal", 6)),
        (lambda data: data[:-1], ("the file of hashes does not match its seal", 17)),
        (lambda data: data[:320], ("the file of hashes does not match its seal", 11)),
        (lambda data: b"", ("the file of hashes does not match its seal", 1)),
        (lambda data: data + b"x", ("the checkpoint is missing for the hashes that begin", 18)),
    ],
)
def test_changed_or_truncated_file_of_hashes_is_detected(
    tmp_path: Path, tamper: Callable[[bytes], bytes], found: tuple[str, int]
) -> None:
    rows = a_log(20)
    seals = seal(tmp_path, rows, 3, 10, 17)
    hashes = tmp_path / "hashes"
    hashes.write_bytes(tamper(hashes.read_bytes()))
    assert verdict_on(rows, seals) == found


@pytest.mark.parametrize(
    ("size", "found"),
    [
        (3, ("a checkpoint is missing", 3)),
        (10, ("a checkpoint is missing", 10)),
        (17, ("the checkpoint is missing for the hashes that begin", 11)),
    ],
)
def test_removed_checkpoint_is_detected(tmp_path: Path, size: int, found: tuple[str, int]) -> None:
    rows = a_log(20)
    seals = seal(tmp_path, rows, 3, 10, 17)
    change_note(tmp_path, size)
    assert verdict_on(rows, seals) == found


def test_edited_moved_or_foreign_checkpoint_is_detected(tmp_path: Path) -> None:
    rows = a_log(20)
    seals, notes = seal(tmp_path, rows, 3, 10, 17), tmp_path / "checkpoints"
    original, note = notes.read_bytes(), seals.note(10)
    untrusted = "a checkpoint cannot be trusted (not signed by fleetlog)"
    for changed, place in (
        (note.replace("\n10\n", "\n11\n"), 11),
        (note.replace("\n10\n", "\nten\n"), None),
        (checkpoint_of(rows[:10], previous=3).signed(OTHER_KEY), 10),
        (note.replace(SIGNATURE_MARK, "-- "), 10),  # it is read together with the next one
    ):
        notes.write_bytes(original.replace(note.encode(), changed.encode()))
        assert verdict_on(rows, SealedLog(tmp_path)) == (untrusted, place)
    notes.write_bytes(original.replace(note.encode(), note.encode()[:-2] + b"\xff\n"))
    assert verdict_on(rows, SealedLog(tmp_path)) == ("a checkpoint is no text", 10)
    notes.write_bytes(note.encode() + original.replace(note.encode(), b""))
    assert verdict_on(rows, SealedLog(tmp_path)) == ("a checkpoint is missing", 3)
    notes.write_bytes(original)
    add_unsigned(tmp_path, 20)
    assert verdict_on(rows, seals) == ("a checkpoint cannot be trusted (a signature line is malformed)", 20)


def test_seals_of_another_log_or_history_are_detected(tmp_path: Path) -> None:
    rows = a_log(20)
    seals = seal(tmp_path / "a", rows, 3, 10, 17)
    assert verdict_on(rows, seals, origin="fleetlog/other") == ("a checkpoint is another log's", 3)
    change_note(tmp_path / "a", 3, seals.note(3), checkpoint_of(rows[:5]).signed(KEY))
    assert verdict_on(rows, seals) == ("a checkpoint does not follow the one before", 5)


def test_external_checkpoint_reveals_a_rollback_of_log_and_seals(tmp_path: Path) -> None:
    rows = a_log(20)
    kept = checkpoint_of(rows[:17], previous=10)
    assert verdict_on(rows, seal(tmp_path / "a", rows, 3, 10, 17), kept=[kept]) == (None, None)
    put_back = seal(tmp_path / "b", rows, 3, 10)
    assert verdict_on(rows[:10], put_back) == (None, None)
    assert verdict_on(rows[:10], put_back, kept=[kept]) == (
        "the seals are not those of the checkpoint that was kept",
        17,
    )
    rewritten = [*rows[:5], rows[5]._replace(state=b"{}"), *rows[6:]]
    signed_again = seal(tmp_path / "c", rewritten, 3, 10, 17)
    assert verdict_on(rewritten, signed_again) == (None, None)
    assert verdict_on(rewritten, signed_again, kept=[kept])[1] == 17
