"""The tree of RFC 6962: its roots, its proofs, and that nothing else passes."""

from contextlib import suppress
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.tamper_evidence.merkle_tree import (
    EMPTY_ROOT,
    Frontier,
    Subtrees,
    inclusion_proof,
    leaf_hash,
    node_hash,
    root_from_proof,
    root_of,
)
from ops.tamper_evidence.proofs import skips

trees = st.lists(st.binary(max_size=3), min_size=1, max_size=40)


def defined_root(leaves: list[bytes]) -> bytes:
    """The definition in RFC 6962, section 2.1, word for word."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaf_hash(leaves[0])
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return node_hash(defined_root(leaves[:k]), defined_root(leaves[k:]))


def test_root_of_an_empty_tree_is_the_hash_of_nothing() -> None:
    assert Frontier().root == EMPTY_ROOT == sha256(b"").digest()


def test_known_roots() -> None:
    # Certificate Transparency's own test vectors.
    leaves = [
        bytes.fromhex(text) for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657")
    ]
    expected = {
        1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        7: "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    }
    for size, root in expected.items():
        assert root_of([leaf_hash(leaf) for leaf in leaves[:size]]).hex() == root


@given(trees)
def test_appending_computes_the_root_of_rfc_6962(leaves: list[bytes]) -> None:
    assert root_of([leaf_hash(leaf) for leaf in leaves]) == defined_root(leaves)


@given(trees, st.data())
def test_inclusion_proof_is_valid_for_its_leaf_only(leaves: list[bytes], data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(leaves) - 1))
    proof = inclusion_proof(index, len(leaves), lambda first, last: defined_root(leaves[first:last]))
    root = defined_root(leaves)
    assert root_from_proof(index, len(leaves), leaf_hash(leaves[index]), proof) == root
    assert root_from_proof(index, len(leaves), leaf_hash(leaves[index] + b"!"), proof) != root
    other = data.draw(st.integers(0, len(leaves) - 1))
    if leaves[other] != leaves[index]:
        with suppress(ValueError):  # it has another length
            assert root_from_proof(other, len(leaves), leaf_hash(leaves[index]), proof) != root
    for wrong in (proof[:-1], [*proof, root]):
        if wrong != proof:
            with pytest.raises(ValueError, match="proof"):
                root_from_proof(index, len(leaves), leaf_hash(leaves[index]), wrong)


@pytest.mark.parametrize("index", [-1, 3])
def test_proof_of_a_missing_leaf_is_refused(index: int) -> None:
    with pytest.raises(ValueError, match="leaf"):
        inclusion_proof(index, 3, lambda *_: b"")
    with pytest.raises(ValueError, match="leaf"):
        root_from_proof(index, 3, b"", [])


@given(st.integers(0, 40), st.data())
def test_subtrees_may_stand_for_their_leaves(size: int, data: st.DataObject) -> None:
    leaves = [bytes([number]) for number in range(size)]
    frontier, tree = Frontier(), Subtrees(map(leaf_hash, leaves))
    while frontier.size < size:
        end = data.draw(st.integers(frontier.size + 1, size))
        for first, last in skips(frontier.size, end):
            frontier.append_subtree(last - first, tree.root_between(first, last))
        assert frontier.root == defined_root(leaves[:end])


@pytest.mark.parametrize("leaves", [-1, 0, 2, 3, 4])
def test_no_subtree_begins_elsewhere(leaves: int) -> None:
    frontier = Frontier()
    frontier.append(leaf_hash(b""))
    with pytest.raises(ValueError, match="full subtree"):
        frontier.append_subtree(leaves, bytes(32))
