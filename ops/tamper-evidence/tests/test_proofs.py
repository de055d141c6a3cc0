"""Proofs can be verified with the public key alone; changed ones are refused."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.tamper_evidence.checkpoints import Checkpoint, SealingRestart
from ops.tamper_evidence.proof_checks import BadProof, Contradiction, Proven, check_proof, signed_checkpoints
from ops.tamper_evidence.proofs import Bound, Scope
from ops.testing.audit_vectors import KEY as VECTORS_KEY
from ops.testing.audit_vectors import refused_proofs, valid_proofs
from ops.testing.sealed_logs import (
    BEGIN,
    KEY,
    OTHER_KEY,
    STREAMS,
    a_log,
    checkpoint_of,
    heads_of,
    proof_between,
    proof_of,
)

ALL, NOTHING = Scope("all"), Scope("nothing")
SCOPES = [ALL, NOTHING, Scope("type", "driver"), Scope("type", "client"), Scope("stream", "driver:none")]
scopes = st.sampled_from([*SCOPES, *(Scope("stream", stream) for stream in STREAMS)])


def check(proof: bytes, *known: Checkpoint) -> Proven:
    return check_proof(proof.splitlines(keepends=True), KEY.verifying_key, known)


@given(scopes, st.integers(1, 40), st.data())
def test_proof_is_verified_with_the_public_key(scope: Scope, size: int, data: st.DataObject) -> None:
    rows = a_log(size)
    begin = data.draw(st.integers(0, size))
    proof = proof_of(rows, scope, start=begin)
    shown = [row for row in rows if row.position > begin and scope.has(row.originator_id)]
    streams = {row.originator_id for row in rows if scope.has(row.originator_id)}
    proven = check(proof)
    assert (proven.scope, proven.end, proven.events) == (scope, checkpoint_of(rows), len(shown))
    assert proven.start == (checkpoint_of(rows[:begin]) if begin else None)
    assert proven.streams == (None if scope.prefix is None else len(streams))
    if scope.kind == "stream":
        assert list(proven.history) == [row.as_json() for row in shown]


@given(scopes, st.integers(0, 20), st.data())
def test_proof_of_a_log_without_one_event_is_refused(scope: Scope, begin: int, data: st.DataObject) -> None:
    """Whatever the changed log then has as roots and branches, the signed checkpoints do not fit."""
    rows = a_log(20)
    gone = data.draw(st.integers(1, 19))
    changed = [
        row._replace(position=row.position - (row.position > gone)) for row in rows if row.position != gone
    ]
    bounds = [
        Bound(checkpoint_of(rows[:size]).signed(KEY), size, heads_of(changed[:size])) for size in (begin, 20)
    ]
    changed.append(rows[-1])
    with pytest.raises(BadProof):
        check(proof_between(changed, scope, bounds[0] if gone <= begin else None, bounds[1]))


PROOFS = [proof_of(a_log(20), scope, start=7, opened={9: '{"n":1.5}'}) for scope in (ALL, SCOPES[2])]


@given(st.sampled_from(PROOFS), st.data())
def test_any_changed_character_is_detected(proof: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(proof) - 1))
    character = data.draw(st.characters(codec="ascii")).encode()
    changed = proof[:at] + character + proof[at + 1 :]
    try:
        proven = check(changed)
    except BadProof:
        return
    assert proven == check(proof)
    assert proven.opened  # its text is free


@pytest.mark.parametrize("proof", [*valid_proofs().values()], ids=[*valid_proofs()])
def test_valid_vector_is_accepted(proof: bytes) -> None:
    check_proof(proof.splitlines(keepends=True), VECTORS_KEY.verifying_key)


@pytest.mark.parametrize("proof", [*refused_proofs().values()], ids=[*refused_proofs()])
def test_changed_proof_is_refused(proof: bytes) -> None:
    with pytest.raises(BadProof):
        check_proof(proof.splitlines(keepends=True), VECTORS_KEY.verifying_key)


def test_two_histories_contradict_each_other() -> None:
    rows, other = a_log(20), a_log(20)
    other[11] = other[11]._replace(state=b"{}")
    shown_to_another = checkpoint_of(other)
    with pytest.raises(Contradiction, match="another checkpoint, of position 20"):
        check(proof_of(rows, ALL), shown_to_another)
    with pytest.raises(Contradiction, match="another checkpoint, of position 20"):
        check(proof_of([*rows, *a_log(23)[20:]], ALL, start=15), shown_to_another)
    assert check(proof_of(rows, ALL), checkpoint_of(rows[:11])).not_compared == ()


def test_checkpoint_that_cannot_be_compared_is_named() -> None:
    rows = a_log(20)
    inside, later = checkpoint_of(rows[:7]), checkpoint_of(a_log(23))
    other_log = replace(checkpoint_of(rows), origin="fleetlog/other")
    assert check(proof_of(rows, NOTHING), inside, later, other_log).not_compared == (inside, later, other_log)


def test_checkpoint_that_a_restart_of_sealing_voided_is_not_compared() -> None:
    rows = a_log(20)
    lost = replace(checkpoint_of(rows[:12]), root=bytes(32))
    restart = SealingRestart(12, lost.root, 8, BEGIN, "the disk was lost")
    end = replace(checkpoint_of(rows), restarts=(restart,))
    proof = proof_between(rows, ALL, None, Bound(end.signed(KEY), 20))
    assert check(proof, lost).not_compared == (lost,)
    with pytest.raises(Contradiction):
        check(proof_of(rows, ALL), lost)


def test_checkpoint_signed_after_such_a_restart_is_not_compared_with_an_older_proof() -> None:
    rows, later = a_log(20), [*a_log(8), *(row._replace(state=b"{}") for row in a_log(15)[8:])]
    restart = SealingRestart(20, checkpoint_of(rows).root, 8, BEGIN, "the disk was lost")
    since = replace(checkpoint_of(later), restarts=(restart,))
    assert check(proof_of(rows, ALL), since).not_compared == (since,)


def test_damaged_proof_contradicts_no_checkpoint() -> None:
    damaged = proof_of(a_log(20), ALL).replace(b"driver.", b"horse.", 1)
    with pytest.raises(BadProof) as refused:
        check(damaged, checkpoint_of(a_log(12)))
    assert not isinstance(refused.value, Contradiction)


def test_checkpoints_of_a_refused_proof_are_known() -> None:
    proof = proof_of(a_log(20), ALL, start=7)
    header = proof[: proof.index(b"\n") + 1].replace(b"all", b"none")
    assert signed_checkpoints(header, KEY.verifying_key) == [checkpoint_of(a_log(n)) for n in (7, 20)]
    for other in (b"", b"[]", b"{}", b'{"from":1}', b"[" * 99_999, header.replace(b"fleetlog", b"other")):
        assert signed_checkpoints(other, KEY.verifying_key) == []


def test_checkpoint_of_another_key_is_refused() -> None:
    proof = proof_between(a_log(20), ALL, None, Bound(checkpoint_of(a_log(20)).signed(OTHER_KEY), 20))
    with pytest.raises(BadProof, match="not signed"):
        check(proof)


@pytest.mark.parametrize("proof", [b"", b"\n", b"[]\n", b"{}\n", b"null\n", b"1\n", b"[" * 99_999, b"\x00"])
def test_other_files_are_refused(proof: bytes) -> None:
    with pytest.raises(BadProof):
        check(proof)
