"""That somebody was forgotten: what was done for it, signed, with the event that erases and its proof."""

import base64
import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

from ops.base.encryption.states import key_id_of
from ops.tamper_evidence.bundles import BadBundle, proven, strict_object
from ops.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint
from ops.tamper_evidence.leaves import LogRow
from ops.tamper_evidence.signed_notes import BadNote, SigningKey, VerifyingKey

FORMAT: Final = "fleetlog-erasure-receipt/1"
ERASED: Final = ".erased"
"""How the topic of an event ends that erases."""
ARTICLES: Final[Mapping[str, Sequence[str]]] = {
    "asked": ("GDPR article 17(1)(b)", "DPDP Act 2023 section 12(3)"),
    "purpose-served": ("GDPR article 17(1)(a)", "DPDP Act 2023 section 8(7)"),
    "unlawful": ("GDPR article 17(1)(d)",),
}
"""By the word for the basis: where the law says so."""
_NOT_COVERED: Final = (
    "events that are in the clear, as counted here: they are part of the log",
    "free blocks of disks: where they are not encrypted, what was overwritten or deleted may be left in them",
    "former key-encryption keys that somebody has kept elsewhere, together with copies of the key store",
    "memory of the gateway's and the database's processes, until they use it again",
    "what people search for from now on, and earlier searches that were recorded in the clear",
)
NOT_COVERED: Final = (
    "exports and copies of records that have left the instance, also those in browsers",
    "the record's id (of drivers the employee number), which names the stream of the event in this receipt",
    "consumers of the public events: they had no personal values, and are told of the erasure",
    *_NOT_COVERED,
)
NOT_COVERED_OF_ACTOR: Final = (
    "exports and copies that have left the instance, also those in browsers",
    "the identity provider's id, by which events and accesses go on saying who it was",
    "the identity provider's own account of them, and its logs",
    "names in events and accesses that were written before they were kept apart: they are not shown any more",
    "what others have written of them in texts of their own",
    *_NOT_COVERED,
)
_ACTOR: Final = "actor"
_PARTS: Final = ["note", "event", "proof", "checkpoint"]
_PSEUDONYM_CHARACTERS: Final = 32


class BadReceipt(Exception):
    """A receipt does not prove what it says."""


class Receipt(NamedTuple):
    """What a receipt proves."""

    statement: dict[str, Any]
    """What the key's holder has signed; the README says what is in it."""
    event: LogRow
    checkpoint: Checkpoint


def pseudonym_of(origin: str, stream: str) -> str:
    """Return what a receipt calls a stream: who knows the log and the record's id can make it again.

    Args:
        origin: the log's name.
        stream: the stream's name.
    """
    return sha256(f"{origin}/erasure\n{stream}".encode()).hexdigest()[:_PSEUDONYM_CHARACTERS]


def told_of_event(row: LogRow) -> dict[str, Any]:
    """Return what a statement says of the event that erases: it is told from every other one."""
    return {
        "position": row.position,
        "version": row.originator_version,
        "leaf": row.hash().hex(),
        "key": key_id_of(row.state),
    }


def told_of_checkpoint(checkpoint: Checkpoint) -> dict[str, Any]:
    """Return what a statement says of a checkpoint."""
    return {"size": checkpoint.size, "root": base64.b64encode(checkpoint.root).decode()}


def make_receipt(
    facts: Mapping[str, Any], row: LogRow, proof: Sequence[bytes], checkpoint: str, key: SigningKey
) -> str:
    """Return a receipt.

    Args:
        facts: what was done, as far as only who did it can tell.
        row: the event that erases.
        proof: the hashes that lead from it to the checkpoint's root.
        checkpoint: signed, and covers the event.
        key: what it was signed with.

    Raises:
        BadCheckpoint: it is none of the key's.
    """
    covering = Checkpoint.opened(checkpoint, key.verifying_key)
    entity = row.originator_id.partition(":")[0]
    statement = {
        "format": FORMAT,
        "log": covering.origin,
        "subject": {
            "entity": entity,
            "pseudonym": pseudonym_of(covering.origin, row.originator_id),
        },
        "event": told_of_event(row),
        "checkpoint": told_of_checkpoint(covering),
        **facts,
        "not_covered": NOT_COVERED_OF_ACTOR if entity == _ACTOR else NOT_COVERED,
    }
    note = key.sign(f"{FORMAT}\n{json.dumps(statement)}\n")
    return _written([note, row.as_json(), [node.hex() for node in proof], checkpoint])


def check_receipt(text: str, key: VerifyingKey) -> Receipt:
    """Return what a receipt proves: that the key's holder says so, and that the event is in the sealed log.

    Raises:
        BadReceipt: it proves nothing.
    """
    try:
        parts = json.loads(text, object_pairs_hook=strict_object)
        if list(parts) != _PARTS or _written(list(parts.values())) != text:
            raise BadReceipt("not a receipt as it was issued")
        checkpoint = Checkpoint.opened(parts["checkpoint"], key)
        name, body = key.open(parts["note"]).split("\n", 1)
        if name != FORMAT:
            raise BadReceipt("not a receipt of this format")
        statement = json.loads(body, object_pairs_hook=strict_object)
        row = proven(parts["event"], parts["proof"], checkpoint)
        _require_of_event(statement, row, checkpoint)
    except BadCheckpoint as error:
        raise BadReceipt(f"its checkpoint cannot be trusted: {error}") from None
    except BadNote as error:
        raise BadReceipt(f"its statement cannot be trusted: {error}") from None
    except BadBundle as error:
        raise BadReceipt(str(error)) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise BadReceipt("not a receipt") from None
    return Receipt(statement, row, checkpoint)


def _written(parts: Sequence[Any]) -> str:
    return json.dumps(dict(zip(_PARTS, parts, strict=True)), indent=1) + "\n"


def _require_of_event(statement: dict[str, Any], row: LogRow, checkpoint: Checkpoint) -> None:
    entity = row.originator_id.partition(":")[0]
    if row.topic != f"{entity}{ERASED}":
        raise BadReceipt(f"the event at position {row.position} erases nothing")
    subject = {"entity": entity, "pseudonym": pseudonym_of(checkpoint.origin, row.originator_id)}
    if statement["subject"] != subject:
        raise BadReceipt("its statement and its event are not about the same record")
    if statement["event"] != told_of_event(row):
        raise BadReceipt("its statement is about another event")
    key_id = key_id_of(row.state)
    if key_id is not None and key_id not in [key["id"] for key in statement["keys"]]:
        raise BadReceipt("its event is sealed under a key of which it says nothing")
    of_checkpoint = (checkpoint.origin, told_of_checkpoint(checkpoint))
    if (statement["log"], statement["checkpoint"]) != of_checkpoint:
        raise BadReceipt("its statement and its checkpoint are not of the same log")
