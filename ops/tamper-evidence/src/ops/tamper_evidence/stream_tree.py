"""A sparse Merkle tree of the last event of every stream, which proves that a history is complete.

A leaf has the stream's key, and version and position of its last event. A key begins with two bytes of the
hash of the stream's type, so that streams of one type form a subtree. The hash of a subtree with one leaf is
that leaf's, of one without leaves 32 zero bytes, otherwise the hash of both halves. No library is used: those
for Python are not maintained.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import pairwise
from struct import Struct
from typing import Final, NamedTuple

_HASH_BYTES: Final = 32
LEAF: Final = Struct(">32sQQ")
"""A leaf: key, version and position."""
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
        return LEAF.pack(key_of(self.stream), self.version, self.position)


class Prefix(NamedTuple):
    """The first bits of keys."""

    key: bytes
    """A key that begins with it."""
    bits: int

    @classmethod
    def of_stream(cls, stream: str) -> "Prefix":
        """Return a stream's whole key."""
        return cls(key_of(stream), 8 * _HASH_BYTES)

    @classmethod
    def of_type(cls, entity: str) -> "Prefix":
        """Return what the keys of all streams of a type begin with."""
        return cls(sha256(entity.encode()).digest(), 8 * _TYPE_BYTES)

    def begins(self, key: bytes) -> bool:
        """Return whether a key begins with the prefix."""
        return _first_bits(key, self.bits) == _first_bits(self.key, self.bits)


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

    def branch(self, prefix: Prefix) -> tuple[list[bytes], list[bytes]]:
        """Return the path to the leaves with a prefix, the hashes of the other halves, and the sorted leaves.

        They are all leaves that agree with the prefix in as many bits as the path has hashes; so if it is
        shorter than the prefix, there may be one of another stream.
        """
        path, node = list[bytes](), self._node(0, 0)
        while node != _EMPTY and not node.is_leaf and len(path) < prefix.bits:
            depth = len(path) + 1
            node, other = (self._node(depth, _first_bits(prefix.key, depth) ^ bit) for bit in (0, 1))
            path.append(other.hash)
        depth = len(path)
        if node == _EMPTY:
            return path, []
        first_bits, in_bucket = _first_bits(prefix.key, depth), max(depth - _BUCKET_BITS, 0)
        buckets = (
            [first_bits >> in_bucket]
            if in_bucket
            else [one for one in self._buckets if one >> (_BUCKET_BITS - depth) == first_bits]
        )
        leaves = (leaf for bucket in buckets for leaf in self._leaves(bucket))
        return path, sorted(leaf for leaf in leaves if _first_bits(leaf, depth) == first_bits)

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
        every = sorted(packed[at : at + LEAF.size] for at in range(0, len(packed), LEAF.size))
        leaves = list({leaf[:_HASH_BYTES]: leaf for leaf in every}.values())
        if len(leaves) < len(every):
            self._buckets[bucket] = b"".join(leaves)
        return leaves


def key_of(stream: str) -> bytes:
    """Return a stream's key in the tree, 32 bytes."""
    entity = stream.partition(":")[0]
    return sha256(entity.encode()).digest()[:_TYPE_BYTES] + sha256(stream.encode()).digest()[:-_TYPE_BYTES]


def root_of_branch(prefix: Prefix, path: Sequence[bytes], leaves: Sequence[bytes]) -> bytes:
    """Return the root to which a branch leads, to be compared with the right one.

    Raises:
        ValueError: it has not the form of a branch of the prefix.
    """
    depth = len(path)
    if depth > prefix.bits or (depth < prefix.bits and len(leaves) > 1):
        raise ValueError("not a branch of the prefix")
    first_bits = _first_bits(prefix.key, depth)
    keys = [leaf[:_HASH_BYTES] for leaf in leaves]
    if any(before >= key for before, key in pairwise(keys)) or any(
        _first_bits(key, depth) != first_bits for key in keys
    ):
        raise ValueError("not the leaves of the branch")
    node = _node_of(leaves, first_bits, depth).hash
    for depth in range(len(path), 0, -1):
        is_right = _first_bits(prefix.key, depth) & 1
        other = path[depth - 1]
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
