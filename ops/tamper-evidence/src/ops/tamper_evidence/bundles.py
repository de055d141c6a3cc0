"""Bundles: one entity's history with proofs, which the public key alone can verify."""

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

from ops.base.http.strict_json import parse_object
from ops.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint
from ops.tamper_evidence.leaves import LogRow, leaf_of
from ops.tamper_evidence.merkle_tree import Subtrees, inclusion_proof, root_from_proof
from ops.tamper_evidence.signed_notes import SigningKey, VerifyingKey
from ops.tamper_evidence.stream_tree import StreamHead, StreamTree, root_of_proof

FORMAT: Final = "fleetlog-history-bundle/2"
_PARTS: Final = {"format", "checkpoint", "last", "events"}
_OPENED: Final = "opened"
_HASH_BYTES: Final = 32
_MAX_NESTING: Final = 100


class BadBundle(Exception):
    """A bundle is not valid."""


def make_bundle(
    rows: Sequence[LogRow],
    hashes: Iterable[bytes],
    streams: StreamTree,
    checkpoint: Checkpoint,
    key: SigningKey,
    *,
    opened: Sequence[dict[str, Any]] | None = None,
) -> str:
    """Return a bundle.

    Args:
        rows: all events of one stream that the checkpoint covers, in order.
        hashes: of all events that the checkpoint covers.
        streams: the tree of the streams that the checkpoint covers.
        opened: decrypted events with their `position`, for readers; only a holder of the encryption keys can
            verify them.
    """
    tree = Subtrees(hashes)
    events = [
        {
            **row.as_json(),
            "proof": _hex(inclusion_proof(row.position - 1, tree.size, tree.root_between)),
        }
        for row in rows
    ]
    bundle = {
        "format": FORMAT,
        "checkpoint": checkpoint.signed(key),
        "last": _hex(streams.proof(rows[0].originator_id)),
        "events": events,
        **({} if opened is None else {_OPENED: opened}),
    }
    return json.dumps(bundle, ensure_ascii=False, indent=1)


def check_bundle(text: str, key: VerifyingKey) -> tuple[Checkpoint, list[LogRow]]:
    """Verify a bundle, and return the signed checkpoint and all events of a stream that the log contained.

    Proofs show that the events are in the log, and which one is the stream's last.

    Raises:
        BadBundle: the bundle is not valid.
    """
    try:
        bundle = parse_object(text.encode(), max_nesting=_MAX_NESTING)
        json.dumps(bundle, ensure_ascii=False).encode()  # refuses unpaired surrogates
        if bundle["format"] != FORMAT:
            raise BadBundle("not a bundle of this format")
        if bundle.keys() - {_OPENED} != _PARTS:
            raise BadBundle("it has parts that nothing vouches for")
        checkpoint = Checkpoint.from_note(bundle["checkpoint"], key)
        rows = [
            verify_event(
                {name: value for name, value in event.items() if name != "proof"}, event["proof"], checkpoint
            )
            for event in bundle["events"]
        ]
        positions = {event["position"] for event in bundle["events"]}
        if not {one["position"] for one in bundle.get(_OPENED, ())} <= positions:
            raise BadBundle("it opens events that it does not have")
        _require_complete(rows, checkpoint, bundle["last"])
    except BadCheckpoint as error:
        raise BadBundle(f"its checkpoint cannot be trusted: {error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise BadBundle("not a bundle") from None
    return checkpoint, rows


def has_decrypted_events(text: str) -> bool:
    """Return whether a bundle contains decrypted events."""
    return _OPENED in json.loads(text)


def verify_event(as_json: dict[str, Any], proof: Any, checkpoint: Checkpoint) -> LogRow:
    """Verify that a checkpoint covers an event, and return the event; raises `BadBundle` or `KeyError`.

    Args:
        as_json: the result of `LogRow.as_json`.
        proof: the inclusion proof: hashes in hex.
    """
    position = as_json["position"]
    try:
        row = LogRow.read(as_json)
        root = root_from_proof(row.position - 1, checkpoint.size, row.hash(), _hashes(proof))
        exact = row.leaf() == leaf_of(as_json)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        root, exact = b"", False
    if root != checkpoint.root or not exact:
        raise BadBundle(f"the event at position {position!r:.40} does not match its seal")
    return row


def _hex(proof: Sequence[bytes]) -> list[str]:
    return [node.hex() for node in proof]


def _hashes(proof: Any) -> list[bytes]:
    """Return the hashes of a proof; raises `ValueError` or `TypeError`."""
    hashes = [bytes.fromhex(node) for node in proof]
    if _hex(hashes) != proof or any(len(node) != _HASH_BYTES for node in hashes):
        raise ValueError("not a proof")
    return hashes


def _require_complete(rows: Sequence[LogRow], checkpoint: Checkpoint, last: Any) -> None:
    if not rows:
        raise BadBundle("it has no events")
    for number, row in enumerate(rows, start=1):
        if row.originator_id != rows[0].originator_id:
            raise BadBundle(f"the event at position {row.position} is another entity's")
        if row.originator_version != number:
            raise BadBundle(f"version {number} is missing before position {row.position}")
    for row, following in pairwise(rows):
        if row.position >= following.position:
            raise BadBundle(f"the event at position {following.position} is not in the log's order")
    if not checkpoint.streams:
        raise BadBundle("its checkpoint does not say which events are the last ones")
    head = StreamHead(rows[-1].originator_id, rows[-1].originator_version, rows[-1].position)
    if root_of_proof(head, _hashes(last)) != checkpoint.streams:
        raise BadBundle(f"it is not the whole history: events after position {head.position} are missing")
