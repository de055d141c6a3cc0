"""A small log with its seals, without a database."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ops.base.encryption.keys import ID_LENGTH
from ops.tamper_evidence.checkpoints import Checkpoint
from ops.tamper_evidence.leaves import LogRow
from ops.tamper_evidence.merkle_tree import Subtrees, inclusion_proof, root_of
from ops.tamper_evidence.proofs import Bound, Scope, proof_lines
from ops.tamper_evidence.receipts import ARTICLES, make_receipt
from ops.tamper_evidence.sealed_log import SealedLog
from ops.tamper_evidence.signed_notes import SIGNATURE_MARK, SigningKey
from ops.tamper_evidence.stream_tree import StreamHead, StreamTree

ORIGIN: Final = "fleetlog/0123"
KEY: Final = SigningKey("fleetlog", Ed25519PrivateKey.generate())
OTHER_KEY: Final = SigningKey("fleetlog", Ed25519PrivateKey.generate())
STREAMS: Final = ("driver:EMP-1", "horse:HRS-1", "driver:EMP-2")
BEGIN: Final = datetime(2026, 11, 21, tzinfo=UTC)


def a_log(events: int) -> list[LogRow]:
    """Return a log of three streams whose events alternate."""
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
    return [row.hash() for row in rows]


def checkpoint_of(rows: Sequence[LogRow], *, previous: int = 0) -> Checkpoint:
    """Return the checkpoint of a log that consists of these rows."""
    root = root_of(hashes_of(rows))
    return Checkpoint(ORIGIN, len(rows), root, previous, streams=streams_of(rows).root)


def streams_of(rows: Sequence[LogRow]) -> StreamTree:
    """Return the tree of the last events."""
    tree = StreamTree()
    tree.update(heads_of(rows))
    return tree


def seal(folder: Path, rows: Sequence[LogRow], *sizes: int) -> SealedLog:
    """Seal a log at each of these sizes."""
    seals, before = SealedLog(folder), 0
    for size in sizes:
        seals.seal(hashes_of(rows[before:size]), checkpoint_of(rows[:size], previous=before), KEY)
        before = size
    return seals


def heads_of(rows: Sequence[LogRow]) -> list[StreamHead]:
    """Return the events, the last ones of streams among them."""
    return [StreamHead(row.originator_id, row.originator_version, row.position) for row in rows]


def proof_of(
    rows: Sequence[LogRow], scope: Scope, *, start: int = 0, opened: Mapping[int, str] = {}
) -> bytes:
    """Return a proof from the checkpoint at a size (0: from the beginning) up to the end of a log."""
    bounds = [
        Bound(checkpoint_of(rows[:size]).signed(KEY), size, heads_of(rows[:size]))
        for size in (start, len(rows))
    ]
    return proof_between(rows, scope, bounds[0] if start else None, bounds[1], opened)


def proof_between(
    rows: Sequence[LogRow], scope: Scope, start: Bound | None, end: Bound, opened: Mapping[int, str] = {}
) -> bytes:
    """Return a proof that a log gives for two checkpoints."""
    tree = Subtrees(hashes_of(rows))
    begin = start.size if start else 0
    shown = [row for row in rows if row.position > begin and scope.has(row.originator_id)]
    return b"".join(proof_lines(scope, start, end, shown, tree.root_between, opened=opened))


def change_note(folder: Path, size: int, *notes: str) -> None:
    """Replace the note of a checkpoint in a folder with seals by others, or none."""
    kept = SealedLog(folder).notes()
    changed = [one for note in kept for one in (notes if note.split("\n")[1] == str(size) else [note])]
    (folder / "checkpoints").write_text("".join(changed), "utf-8")


def last_note(folder: Path) -> str:
    """Return the last note of a folder with seals."""
    seals = SealedLog(folder)
    return seals.note(seals.newest())


def add_unsigned(folder: Path, size: int) -> None:
    """Add a note of a size to a folder with seals; its signature is not one."""
    folder.mkdir(exist_ok=True)
    with (folder / "checkpoints").open("a", encoding="utf-8") as file:
        file.write(f"{ORIGIN}\n{size}\n\n{SIGNATURE_MARK}fleetlog x\n")


def a_log_with_erasures(events: int) -> list[LogRow]:
    """Return an encrypted log in which each event from position 16 on is an erasure."""
    return [
        row._replace(
            topic=f"{row.originator_id.partition(':')[0]}.{'erased' if row.position > 15 else 'removed'}",
            state=b'{"sealed":2,"key":"%b","n":%d}' % (_key_id(row).encode(), row.position),
        )
        for row in a_log(events)
    ]


def receipt_of(rows: Sequence[LogRow], position: int) -> str:
    """Return the receipt for the erasure at a position."""
    row, tree = rows[position - 1], Subtrees(hashes_of(rows))
    facts = {
        "basis": {"word": "asked", "articles": ARTICLES["asked"]},
        "asked": {"by": "auth0|1", "at": "2026-11-20T00:00:00.000Z"},
        "erased": {"by": "auth0|2", "at": "2026-11-21T00:00:00.000Z"},
        "keys": [{"id": _key_id(row), "fingerprint": f"{_key_id(row)}.{'0' * 32}"}],
        "events": {"sealed": row.originator_version - 1, "in_the_clear": 0},
        "searches": 3,
        "epochs": {"destroyed": 1, "epoch": 2, "survivors": 2, "kept_because": None},
        "services": [
            {"instance": "a", "service": "query-api", "state": "forgotten", "at": "2026-11-21T00:00:01.000Z"}
        ],
        "steps": {"begun": "2026-11-21T00:00:00.000Z"},
        "scan": {
            "texts": 9,
            "rows": 99,
            "files": None,
            "files_unread": None,
            "found": [],
            "not_scanned": None,
        },
        "checkpoint_before": None,
    }
    proof = inclusion_proof(position - 1, tree.size, tree.root_between)
    return make_receipt(facts, row, proof, checkpoint_of(rows).signed(KEY), KEY)


def _key_id(row: LogRow) -> str:
    return f"{STREAMS.index(row.originator_id)}".rjust(ID_LENGTH, "k")
