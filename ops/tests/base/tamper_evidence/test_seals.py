"""That whatever is done to a sealed log, its seals or a bundle is noticed, and where."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from ops.base.tamper_evidence.bundles import BadBundle, check_bundle, make_bundle
from ops.base.tamper_evidence.checkpoints import Checkpoint, SigningKey
from ops.base.tamper_evidence.leaves import LogRow
from ops.base.tamper_evidence.merkle_tree import root_of
from ops.base.tamper_evidence.sealed_log import SealedLog
from ops.base.tamper_evidence.verification import Verdict, Verification

ORIGIN = "fleetlog/0123"
KEY = SigningKey(ORIGIN, Ed25519PrivateKey.generate())
OTHER = SigningKey(ORIGIN, Ed25519PrivateKey.generate())
BEGIN = datetime(2026, 11, 21, tzinfo=UTC)
STREAMS = ("driver:EMP-1", "horse:HRS-1", "driver:EMP-2")


def a_log(events: int) -> list[LogRow]:
    return [
        LogRow(
            position,
            STREAMS[position % 3],
            (position + 2) // 3,
            "driver.details_changed",
            b'{"n":%d}' % position,
            BEGIN + timedelta(microseconds=position),
            UUID(int=position) if position % 2 else None,
        )
        for position in range(1, events + 1)
    ]


def seal(folder: Path, rows: list[LogRow], *sizes: int) -> SealedLog:
    seals, before = SealedLog(folder), 0
    hashes = [row.hash() for row in rows]
    for size in sizes:
        seals.seal(hashes[before:size], Checkpoint(ORIGIN, size, root_of(hashes[:size])), KEY)
        before = size
    return seals


def verify(rows: list[LogRow], seals: SealedLog, *, origin: str = ORIGIN) -> Verdict:
    verification = Verification(seals, KEY.verifying_key, origin=origin)
    verification.take(rows[:5])
    verification.take(rows[5:])
    return verification.verdict()


def verdict_on(rows: list[LogRow], seals: SealedLog) -> tuple[str | None, int | None]:
    verdict = verify(rows, seals)
    return verdict.fault, verdict.position


def test_a_log_that_nobody_touched_fits_also_beyond_its_last_seal(tmp_path: Path) -> None:
    rows = a_log(20)
    verdict = verify(rows, seal(tmp_path, rows, 3, 10, 17))
    assert (verdict.sealed, verdict.events, verdict.fault) == (17, 20, None)
    assert verdict_on([], SealedLog(tmp_path / "none")) == (None, None)


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
def test_a_change_to_any_column_is_found_where_it_is(tmp_path: Path, column: str, position: int) -> None:
    rows = a_log(20)
    seals = seal(tmp_path, rows, 3, 10, 17)
    rows[position - 1] = rows[position - 1]._replace(**{column: CHANGES[column]})
    assert verdict_on(rows, seals) == ("an event is not what was sealed", position)


@pytest.mark.parametrize(
    ("tamper", "found"),
    [
        (lambda rows: rows.pop(6), ("an event is missing", 7)),
        (lambda rows: rows.insert(6, rows[6]), ("an event is missing", 8)),
        (
            lambda rows: rows.__setitem__(
                slice(6, 8), [rows[7]._replace(position=7), rows[6]._replace(position=8)]
            ),
            ("an event is not what was sealed", 7),
        ),
        (lambda rows: rows.__delitem__(slice(15, None)), ("the log ends before what was sealed", 16)),
    ],
)
def test_what_is_missing_doubled_or_swapped_is_found(
    tmp_path: Path, tamper: Callable[[list[LogRow]], Any], found: tuple[str, int]
) -> None:
    rows = a_log(20)
    seals = seal(tmp_path, rows, 3, 10, 17)
    tamper(rows)
    assert verdict_on(rows, seals) == found


def test_seals_that_were_tampered_with_are_found(tmp_path: Path) -> None:
    rows = a_log(20)
    seals = seal(tmp_path, rows, 3, 10, 17)
    hashes = tmp_path / "hashes"
    original = hashes.read_bytes()
    hashes.write_bytes(original[:160] + bytes(32) + original[192:])
    assert verdict_on(rows, seals) == ("the file of hashes does not fit its checkpoint", 10)
    hashes.write_bytes(original[:-1])
    assert verdict_on(rows, seals) == ("the file of hashes is too short for its checkpoints", 17)
    hashes.write_bytes(original)
    note = tmp_path / "checkpoints" / f"{10:019}.note"
    note.write_text(OTHER.sign(Checkpoint(ORIGIN, 10, root_of([row.hash() for row in rows[:10]]))))
    fault, _ = verdict_on(rows, seals)
    assert fault
    assert "cannot be trusted" in fault
    another = verify(rows, seal(tmp_path / "b", rows, 20), origin="fleetlog/other")
    assert another.fault == "the checkpoints are another log's"


def test_a_seal_that_was_interrupted_is_done_again(tmp_path: Path) -> None:
    rows = a_log(20)
    seals = seal(tmp_path, rows, 10)
    with (tmp_path / "hashes").open("ab") as file:
        file.write(b"x" * 333)  # of a seal that never came to its checkpoint
    hashes = [row.hash() for row in rows]
    assert seals.hashes(last=10) == hashes[:10]
    seals.seal(hashes[10:], Checkpoint(ORIGIN, 20, root_of(hashes)), KEY)
    assert verdict_on(rows, seals) == (None, None)


@given(size=st.integers(1, 40), stream=st.sampled_from(STREAMS))
def test_a_bundle_proves_a_stream_to_somebody_with_nothing_but_the_key(size: int, stream: str) -> None:
    rows, hashes = a_log(size), [row.hash() for row in a_log(size)]
    note = KEY.sign(Checkpoint(ORIGIN, size, root_of(hashes)))
    mine = [row for row in rows if row.originator_id == stream]
    bundle = make_bundle(mine, hashes, note)
    if mine:
        checkpoint, proven = check_bundle(bundle, KEY.verifying_key)
        assert (checkpoint.size, proven) == (size, mine)
        with pytest.raises(BadBundle, match="cannot be trusted"):
            check_bundle(bundle, OTHER.verifying_key)


def a_bundle() -> dict[str, Any]:
    rows = a_log(20)
    hashes = [row.hash() for row in rows]
    note = KEY.sign(Checkpoint(ORIGIN, 20, root_of(hashes)))
    bundle: dict[str, Any] = json.loads(
        make_bundle([row for row in rows if row.position % 3 == 1], hashes, note)
    )
    return bundle


@pytest.mark.parametrize(
    "tamper",
    [
        lambda bundle: bundle["events"].pop(0),
        lambda bundle: bundle["events"].pop(2),
        lambda bundle: bundle["events"].reverse(),
        lambda bundle: bundle["events"].clear(),
        lambda bundle: bundle["events"][1].update(state="e30="),
        lambda bundle: bundle["events"][1].update(moment="2026-11-21T00:00:00.000001+00:00"),
        lambda bundle: bundle["events"][1].update(position=5),
        lambda bundle: bundle["events"][1].update(command_id=str(UUID(int=4))),
        lambda bundle: bundle["events"][1]["proof"].pop(),
        lambda bundle: bundle["events"][1]["proof"].append("00" * 32),
        lambda bundle: bundle["events"][1].update(proof=[1]),
        lambda bundle: bundle.update(checkpoint=bundle["checkpoint"].replace("20", "21", 1)),
        lambda bundle: bundle.update(format="other"),
        lambda bundle: bundle.pop("events"),
    ],
)
def test_a_bundle_that_was_tampered_with_proves_nothing(tamper: Callable[[dict[str, Any]], Any]) -> None:
    bundle = a_bundle()
    check_bundle(json.dumps(bundle), KEY.verifying_key)
    tamper(bundle)
    with pytest.raises(BadBundle):
        check_bundle(json.dumps(bundle), KEY.verifying_key)


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"format": 1}'])
def test_what_is_no_bundle_is_refused(text: str) -> None:
    with pytest.raises(BadBundle):
        check_bundle(text, KEY.verifying_key)
