"""A Merkle tree as RFC 6962, section 2, has it: hashes that depend on every leaf and their order.

No library is used: those that keep this shape are under licences that would bind the product, or keep their
leaves in a store of their own.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

EMPTY_ROOT: Final = sha256(b"").digest()
_HASH_BYTES: Final = 32


def leaf_hash(leaf: bytes) -> bytes:
    """Return the hash of a leaf; its first byte keeps it from being taken for a node's."""
    return sha256(b"\x00" + leaf).digest()


def node_hash(left: bytes, right: bytes = b"") -> bytes:
    """Return the hash of the node above two others; they may be given as one."""
    return sha256(b"\x01" + left + right).digest()


@dataclass
class Frontier:
    """All that is needed of a tree to append to it: the roots of its full subtrees, the largest first."""

    size: int = 0
    """How many leaves it has."""
    roots: list[bytes] = field(default_factory=list)

    def append(self, leaf: bytes) -> None:
        """Append a leaf's hash."""
        node, size = leaf, self.size
        while size & 1:
            node = node_hash(self.roots.pop(), node)
            size >>= 1
        self.roots.append(node)
        self.size += 1

    def append_subtree(self, leaves: int, root: bytes) -> None:
        """Append the root of a full subtree; raises `ValueError` unless it can begin here."""
        if leaves <= 0 or leaves & (leaves - 1) or self.size % leaves:
            raise ValueError("not a full subtree of the tree")
        node, size = root, self.size // leaves
        while size & 1:
            node = node_hash(self.roots.pop(), node)
            size >>= 1
        self.roots.append(node)
        self.size += leaves

    def extend(self, leaves: Iterable[bytes]) -> None:
        """Append the hashes of several leaves."""
        for leaf in leaves:
            self.append(leaf)

    @property
    def root(self) -> bytes:
        """The tree's root hash."""
        if not self.roots:
            return EMPTY_ROOT
        *others, node = self.roots
        for root in reversed(others):
            node = node_hash(root, node)
        return node


def root_of(leaves: Sequence[bytes]) -> bytes:
    """Return the root of a tree, given its leaves' hashes."""
    frontier = Frontier()
    frontier.extend(leaves)
    return frontier.root


def inclusion_proof(index: int, size: int, subtree_root: Callable[[int, int], bytes]) -> list[bytes]:
    """Return the hashes that lead from a leaf to the root (RFC 6962, section 2.1.1); raises `ValueError`.

    Args:
        subtree_root: returns the root of the tree of the leaves from its first argument up to its second.
    """
    if not 0 <= index < size:
        raise ValueError("there is no such leaf")
    proof: list[bytes] = []
    first, last = 0, size
    while last - first > 1:
        middle = first + _split(last - first)
        if index < middle:
            proof.append(subtree_root(middle, last))
            last = middle
        else:
            proof.append(subtree_root(first, middle))
            first = middle
    return proof[::-1]


def root_from_proof(index: int, size: int, leaf: bytes, proof: Sequence[bytes]) -> bytes:
    """Return the root to which a proof leads (RFC 9162, section 2.1.3.2), to be compared with the right one.

    Args:
        index: the leaf's, from 0.
        leaf: the leaf's hash.

    Raises:
        ValueError: there is no such leaf, or the proof has not as many hashes as it must.
    """
    if not 0 <= index < size:
        raise ValueError("there is no such leaf")
    node, number, last = leaf, index, size - 1
    for sibling in proof:
        if last == 0:
            raise ValueError("the proof is too long")
        if number & 1 or number == last:
            node = node_hash(sibling, node)
            while not number & 1 and number:
                number, last = number >> 1, last >> 1
        else:
            node = node_hash(node, sibling)
        number, last = number >> 1, last >> 1
    if last != 0:
        raise ValueError("the proof is too short")
    return node


class Subtrees:
    """The roots of all full subtrees, in some 64 bytes for each leaf, so that many proofs cost little."""

    def __init__(self, leaves: Iterable[bytes]) -> None:
        """Make them."""
        self._levels = [b"".join(leaves)]
        self.size = len(self._levels[0]) // _HASH_BYTES
        while len(below := self._levels[-1]) > _HASH_BYTES:
            pairs = range(0, len(below) - 2 * _HASH_BYTES + 1, 2 * _HASH_BYTES)
            self._levels.append(b"".join(node_hash(below[at : at + 2 * _HASH_BYTES]) for at in pairs))

    def root_between(self, first: int, last: int) -> bytes:
        """Return the root of the tree of the leaves from `first` up to `last`."""
        level = (last - first).bit_length() - 1
        if last - first == 1 << level and first % (1 << level) == 0:
            start = (first >> level) * _HASH_BYTES
            return self._levels[level][start : start + _HASH_BYTES]
        middle = first + _split(last - first)
        return node_hash(self.root_between(first, middle), self.root_between(middle, last))


def _split(size: int) -> int:
    """Return the largest power of two that is less than a size."""
    return 1 << ((size - 1).bit_length() - 1)
