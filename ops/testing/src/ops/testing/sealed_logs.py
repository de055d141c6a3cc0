"""A small log and its seals, without a database."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ops.tamper_evidence.bundles import make_bundle
from ops.tamper_evidence.checkpoints import Checkpoint
from ops.tamper_evidence.leaves import LogRow
from ops.tamper_evidence.merkle_tree import root_of
from ops.tamper_evidence.sealed_log import SealedLog
from ops.tamper_evidence.signed_notes import SigningKey

ORIGIN: Final = "fleetlog/0123"
KEY: Final = SigningKey("fleetlog", Ed25519PrivateKey.generate())
OTHER_KEY: Final = SigningKey("fleetlog", Ed25519PrivateKey.generate())
STREAMS: Final = ("driver:EMP-1", "horse:HRS-1", "driver:EMP-2")
BEGIN: Final = datetime(2026, 11, 21, tzinfo=UTC)


def a_log(events: int) -> list[LogRow]:
    """Return a log in which three streams take turns."""
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


def hashes_of(rows: Sequence[LogRow]) -> list[bytes]:
    """Return the rows' hashes."""
    return [row.hash() for row in rows]


def checkpoint_of(rows: Sequence[LogRow], *, previous: int = 0) -> Checkpoint:
    """Return the checkpoint of a log that has these rows."""
    return Checkpoint(ORIGIN, len(rows), root_of(hashes_of(rows)), previous)


def seal(folder: Path, rows: Sequence[LogRow], *sizes: int) -> SealedLog:
    """Seal a log as if it had been so large, then so large, …."""
    seals, before = SealedLog(folder), 0
    for size in sizes:
        seals.seal(hashes_of(rows[before:size]), checkpoint_of(rows[:size], previous=before), KEY)
        before = size
    return seals


def bundle_of(rows: Sequence[LogRow], stream: str) -> str:
    """Return the bundle with a stream's history."""
    history = [row for row in rows if row.originator_id == stream]
    return make_bundle(history, hashes_of(rows), checkpoint_of(rows), KEY)
