"""Bundles: one entity's history with proofs, which the public key alone can verify."""

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

from ops.base.http.strict_json import unique_names
from ops.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint
from ops.tamper_evidence.leaves import LogRow, leaf_of
from ops.tamper_evidence.merkle_tree import Subtrees, inclusion_proof, root_from_proof
from ops.tamper_evidence.signed_notes import BadNote, SigningKey, VerifyingKey

FORMAT: Final = "fleetlog-history-bundle/1"
_PARTS: Final = {"format", "checkpoint", "history", "events"}
_OPENED: Final = "opened"


class BadBundle(Exception):
    """A bundle is not valid."""


def make_bundle(
    rows: Sequence[LogRow],
    hashes: Iterable[bytes],
    checkpoint: Checkpoint,
    key: SigningKey,
    opened: Sequence[dict[str, Any]] | None = None,
) -> str:
    """Return a bundle.

    Args:
        rows: all events of one stream that the checkpoint covers, in order.
        hashes: of all events that the checkpoint covers.
        opened: decrypted events with their `position`, for readers; only a holder of the encryption keys can
            verify them.
    """
    tree = Subtrees(hashes)
    events = [
        {
            **row.as_json(),
            "proof": [node.hex() for node in inclusion_proof(row.position - 1, tree.size, tree.root_between)],
        }
        for row in rows
    ]
    bundle = {
        "format": FORMAT,
        "checkpoint": checkpoint.signed(key),
        "history": key.sign(_history(rows, checkpoint)),
        "events": events,
        **({} if opened is None else {_OPENED: opened}),
    }
    return json.dumps(bundle, ensure_ascii=False, indent=1)


def check_bundle(text: str, key: VerifyingKey) -> tuple[Checkpoint, list[LogRow]]:
    """Verify a bundle, and return the signed checkpoint and all events of a stream that the log contained.

    Proofs show that the events are in the log; the key's holder has signed that there are no others.

    Raises:
        BadBundle: the bundle is not valid.
    """
    try:
        bundle = json.loads(text, object_pairs_hook=unique_names)
        if bundle["format"] != FORMAT:
            raise BadBundle("not a bundle of this format")
        if bundle.keys() - {_OPENED} != _PARTS:
            raise BadBundle("it has parts that nothing vouches for")
        checkpoint = Checkpoint.from_note(bundle["checkpoint"], key)
        history = key.open(bundle["history"])
        rows = [
            verify_event(
                {name: value for name, value in event.items() if name != "proof"}, event["proof"], checkpoint
            )
            for event in bundle["events"]
        ]
        positions = {event["position"] for event in bundle["events"]}
        if not {one["position"] for one in bundle.get(_OPENED, ())} <= positions:
            raise BadBundle("it opens events that it does not have")
    except BadCheckpoint as error:
        raise BadBundle(f"its checkpoint cannot be trusted: {error}") from None
    except BadNote as error:
        raise BadBundle(f"its count of events cannot be trusted: {error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise BadBundle("not a bundle") from None
    _require_complete(rows, checkpoint, history)
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
        nodes = [bytes.fromhex(node) for node in proof]
        root = root_from_proof(row.position - 1, checkpoint.size, row.hash(), nodes)
        exact = row.leaf() == leaf_of(as_json) and [node.hex() for node in nodes] == proof
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        root, exact = b"", False
    if root != checkpoint.root or not exact:
        raise BadBundle(f"the event at position {position!r:.40} does not match its seal")
    return row


def _history(rows: Sequence[LogRow], checkpoint: Checkpoint) -> str:
    """Return the statement of the number of events in a stream, to be signed by the key's holder.

    No proof can show that a stream has no further event; a signed statement can be compared with other
    evidence. The first line distinguishes it from a checkpoint.
    """
    stream = json.dumps(rows[0].originator_id)
    return f"{checkpoint.origin}/history\n{stream}\n{len(rows)}\n{checkpoint.size}\n"


def _require_complete(rows: Sequence[LogRow], checkpoint: Checkpoint, history: str) -> None:
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
    if history != _history(rows, checkpoint):
        raise BadBundle(f"it is not the whole history: events after position {rows[-1].position} are missing")
