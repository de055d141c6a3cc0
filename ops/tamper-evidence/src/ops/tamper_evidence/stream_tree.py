"""A sparse Merkle tree of the last event of every stream, which proves that a history is complete.

A leaf has the stream's key, and version and position of its last event. A key begins with two bytes of the
hash of the stream's type, so that streams of one type form a subtree. The hash of a subtree with one leaf is
that leaf's, of one without leaves 32 zero bytes, otherwise the hash of both halves. No library is used: those
for Python are not maintained.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from hashlib import sha256
from struct import Struct
from typing import Final, NamedTuple

_HASH_BYTES: Final = 32
_LEAF: Final = Struct(">32sQQ")
_TYPE_BYTES: Final = 2
_BUCKET_BITS: Final = 32
"""Leaves with this many equal bits are stored together, and their hashes computed again when one changes."""


class StreamHead(NamedTuple):
    """The last event of a stream."""

    stream: str
    version: int
    position: int

    def leaf(self) -> bytes:
        """Return the leaf."""
        return _LEAF.pack(key_of(self.stream), self.version, self.position)


class _Node(NamedTuple):
    hash: bytes
    is_leaf: bool = False


_EMPTY: Final = _Node(bytes(_HASH_BYTES))


class StreamTree:
    """The tree, in some 100 bytes for each stream."""

    def __init__(self) -> None:
        self._buckets: dict[int, bytes] = {}
        """Leaves, by the first bits of their keys."""
        self._nodes: dict[tuple[int, int], _Node | None] = {}
        """By depth and the first bits; None: to be computed; none: there is no leaf."""

    def update(self, heads: Iterable[StreamHead]) -> None:
        """Add streams, or replace their last events by later ones."""
        for head in heads:
            leaf = head.leaf()
            first_bits = _first_bits(leaf, _BUCKET_BITS)
            self._buckets[first_bits] = self._buckets.get(first_bits, b"") + leaf
            for depth in range(_BUCKET_BITS, -1, -1):
                if self._nodes.get((depth, first_bits), _EMPTY) is None:
                    break
                self._nodes[depth, first_bits] = None
                first_bits >>= 1

    @property
    def root(self) -> bytes:
        """The root hash."""
        return self._node(0, 0).hash

    def proof(self, stream: str) -> list[bytes]:
        """Return the hashes that lead from the root to a stream's leaf, those of the other halves."""
        key, proof = key_of(stream), list[bytes]()
        node = self._node(0, 0)
        while node != _EMPTY and not node.is_leaf:
            depth = len(proof) + 1
            node, other = (self._node(depth, _first_bits(key, depth) ^ bit) for bit in (0, 1))
            proof.append(other.hash)
        return proof

    def _node(self, depth: int, first_bits: int) -> _Node:
        if depth > _BUCKET_BITS:
            leaves = self._leaves(first_bits >> (depth - _BUCKET_BITS))
            return _node_of(
                [leaf for leaf in leaves if _first_bits(leaf, depth) == first_bits], first_bits, depth
            )
        if (depth, first_bits) not in self._nodes:
            return _EMPTY
        node = self._nodes[depth, first_bits]
        if node is None:
            if depth == _BUCKET_BITS:
                node = _node_of(self._leaves(first_bits), first_bits, depth)
            else:
                node = _joined(*(self._node(depth + 1, 2 * first_bits + bit) for bit in (0, 1)))
            self._nodes[depth, first_bits] = node
        return node

    def _leaves(self, bucket: int) -> list[bytes]:
        """Return the sorted leaves of a bucket, without those that a later one replaces."""
        packed = self._buckets.get(bucket, b"")
        every = sorted(packed[at : at + _LEAF.size] for at in range(0, len(packed), _LEAF.size))
        leaves = list({leaf[:_HASH_BYTES]: leaf for leaf in every}.values())
        if len(leaves) < len(every):
            self._buckets[bucket] = b"".join(leaves)
        return leaves


def key_of(stream: str) -> bytes:
    """Return a stream's key in the tree, 32 bytes."""
    entity = stream.partition(":")[0]
    return sha256(entity.encode()).digest()[:_TYPE_BYTES] + sha256(stream.encode()).digest()[:-_TYPE_BYTES]


def root_of_proof(head: StreamHead, proof: Sequence[bytes]) -> bytes:
    """Return the root to which a proof leads, to be compared with the right one.

    Raises:
        ValueError: no such tree has that depth, or a number is too large.
    """
    if len(proof) > 8 * _HASH_BYTES or not 0 <= head.position < 1 << 63:
        raise ValueError("there is no such leaf")
    node, bits = _leaf_hash(head.leaf()), int.from_bytes(key_of(head.stream))
    for depth in range(len(proof), 0, -1):
        other = proof[depth - 1]
        is_right = bits >> (8 * _HASH_BYTES - depth) & 1
        node = _node_hash(other, node) if is_right else _node_hash(node, other)
    return node


def _first_bits(key: bytes, count: int) -> int:
    return int.from_bytes(key[:_HASH_BYTES]) >> (8 * _HASH_BYTES - count)


def _leaf_hash(leaf: bytes) -> bytes:
    return sha256(b"\x02" + leaf).digest()


def _node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x03" + left + right).digest()


def _node_of(leaves: Sequence[bytes], first_bits: int, depth: int) -> _Node:
    """Return the node above sorted leaves whose keys have the same first bits."""
    if not leaves:
        return _EMPTY
    if len(leaves) == 1:
        return _Node(_leaf_hash(leaves[0]), is_leaf=True)
    left, right, depth = 2 * first_bits, 2 * first_bits + 1, depth + 1
    middle = bisect_left(leaves, (right << (8 * _HASH_BYTES - depth)).to_bytes(_HASH_BYTES))
    return _joined(_node_of(leaves[:middle], left, depth), _node_of(leaves[middle:], right, depth))


def _joined(left: _Node, right: _Node) -> _Node:
    if left == _EMPTY and (right == _EMPTY or right.is_leaf):
        return right
    if right == _EMPTY and left.is_leaf:
        return left
    return _Node(_node_hash(left.hash, right.hash))
