"""Receipts of erasures: a signed statement of the steps, and the erasing event with its proof."""

import base64
import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

from ops.base.encryption.states import key_id_of
from ops.base.http.strict_json import unique_names
from ops.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint
from ops.tamper_evidence.leaves import LogRow, leaf_of
from ops.tamper_evidence.merkle_tree import root_from_proof
from ops.tamper_evidence.signed_notes import BadNote, SigningKey, VerifyingKey

FORMAT: Final = "fleetlog-erasure-receipt/1"
ERASED: Final = ".erased"
"""Suffix of the topics of erasing events."""
ARTICLES: Final[Mapping[str, Sequence[str]]] = {
    "asked": ("GDPR article 17(1)(b)", "DPDP Act 2023 section 12(3)"),
    "purpose-served": ("GDPR article 17(1)(a)", "DPDP Act 2023 section 8(7)"),
    "unlawful": ("GDPR article 17(1)(d)",),
}
"""Articles of the law, by basis."""
_NOT_COVERED: Final = (
    "events that were written unencrypted, as counted here: they are part of the log",
    "free blocks of disks that are not encrypted: they may contain overwritten or deleted data",
    "copies of former key-encryption keys outside the instance, together with copies of the key store",
    "memory of the gateway's and the database's processes, until it is reused",
    "later searches",
)
NOT_COVERED: Final = (
    "exports and copies of records that have left the instance, also those in browsers",
    "the record's id (of drivers the employee number), which names the stream of the event in this receipt",
    "consumers of the public events, which contain no personal data; they receive the erasure event",
    *_NOT_COVERED,
)
NOT_COVERED_OF_ACTOR: Final = (
    "exports and copies that have left the instance, also those in browsers",
    "the identity provider's id, which stays in events and accesses",
    "the account at the identity provider, and its logs",
    "texts in which other users mention the person",
    *_NOT_COVERED,
)
_ACTOR: Final = "actor"
_PARTS: Final = ["note", "event", "proof", "checkpoint"]
_PSEUDONYM_CHARACTERS: Final = 32


class BadReceipt(Exception):
    """A receipt is not valid."""


class Receipt(NamedTuple):
    """A verified receipt."""

    statement: dict[str, Any]
    """The signed statement; the README describes its members."""
    event: LogRow
    checkpoint: Checkpoint


def pseudonym_of(origin: str, stream: str) -> str:
    """Return a receipt's pseudonym of a stream, computed from the names of log and stream."""
    return sha256(f"{origin}/erasure\n{stream}".encode()).hexdigest()[:_PSEUDONYM_CHARACTERS]


def event_facts(row: LogRow) -> dict[str, Any]:
    """Return the members of a statement that identify the erasing event."""
    return {
        "position": row.position,
        "version": row.originator_version,
        "leaf": row.hash().hex(),
        "key": key_id_of(row.state),
    }


def checkpoint_facts(checkpoint: Checkpoint) -> dict[str, Any]:
    """Return the members of a statement that identify a checkpoint."""
    return {"size": checkpoint.size, "root": base64.b64encode(checkpoint.root).decode()}


def make_receipt(
    facts: Mapping[str, Any], row: LogRow, proof: Sequence[bytes], checkpoint: str, key: SigningKey
) -> str:
    """Return a receipt; raises `BadCheckpoint`.

    Args:
        checkpoint: the signed note of a checkpoint that covers the event.
    """
    covering = Checkpoint.from_note(checkpoint, key.verifying_key)
    entity = row.originator_id.partition(":")[0]
    statement = {
        "format": FORMAT,
        "log": covering.origin,
        "subject": {
            "entity": entity,
            "pseudonym": pseudonym_of(covering.origin, row.originator_id),
        },
        "event": event_facts(row),
        "checkpoint": checkpoint_facts(covering),
        **facts,
        "not_covered": NOT_COVERED_OF_ACTOR if entity == _ACTOR else NOT_COVERED,
    }
    note = key.sign(f"{FORMAT}\n{json.dumps(statement)}\n")
    return _written([note, row.as_json(), [node.hex() for node in proof], checkpoint])


def check_receipt(text: str, key: VerifyingKey) -> Receipt:
    """Verify that a statement is signed, and that its event is in the sealed log; raises `BadReceipt`."""
    try:
        parts = json.loads(text, object_pairs_hook=unique_names)
        if list(parts) != _PARTS or _written(list(parts.values())) != text:
            raise BadReceipt("not a receipt as it was issued")
        checkpoint = Checkpoint.from_note(parts["checkpoint"], key)
        name, body = key.open(parts["note"]).split("\n", 1)
        if name != FORMAT:
            raise BadReceipt("not a receipt of this format")
        statement = json.loads(body, object_pairs_hook=unique_names)
        row = _verified_event(parts["event"], parts["proof"], checkpoint)
        _require_of_event(statement, row, checkpoint)
    except BadCheckpoint as error:
        raise BadReceipt(f"its checkpoint cannot be trusted: {error}") from None
    except BadNote as error:
        raise BadReceipt(f"its statement cannot be trusted: {error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise BadReceipt("not a receipt") from None
    return Receipt(statement, row, checkpoint)


def _verified_event(as_json: dict[str, Any], proof: list[str], checkpoint: Checkpoint) -> LogRow:
    """Return the event, whose inclusion proof must lead to the checkpoint."""
    try:
        row = LogRow.read(as_json)
        nodes = [bytes.fromhex(node) for node in proof]
        root = root_from_proof(row.position - 1, checkpoint.size, row.hash(), nodes)
        is_exact = row.leaf() == leaf_of(as_json)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        root, is_exact = b"", False
    if root != checkpoint.root or not is_exact:
        raise BadReceipt(f"the event at position {as_json['position']!r:.40} does not match its seal")
    return row


def _written(parts: Sequence[Any]) -> str:
    return json.dumps(dict(zip(_PARTS, parts, strict=True)), indent=1) + "\n"


def _require_of_event(statement: dict[str, Any], row: LogRow, checkpoint: Checkpoint) -> None:
    entity = row.originator_id.partition(":")[0]
    if row.topic != f"{entity}{ERASED}":
        raise BadReceipt(f"the event at position {row.position} erases nothing")
    subject = {"entity": entity, "pseudonym": pseudonym_of(checkpoint.origin, row.originator_id)}
    if statement["subject"] != subject:
        raise BadReceipt("its statement and its event are not about the same record")
    if statement["event"] != event_facts(row):
        raise BadReceipt("its statement is about another event")
    key_id = key_id_of(row.state)
    if key_id is not None and key_id not in [key["id"] for key in statement["keys"]]:
        raise BadReceipt("its event is encrypted under a key that its statement does not list")
    of_checkpoint = (checkpoint.origin, checkpoint_facts(checkpoint))
    if (statement["log"], statement["checkpoint"]) != of_checkpoint:
        raise BadReceipt("its statement and its checkpoint are not of the same log")
