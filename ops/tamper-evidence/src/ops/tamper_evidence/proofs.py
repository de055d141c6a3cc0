"""Proofs that a file has all events of the log, a type or a stream between two checkpoints.

A proof has the events, and the roots of the subtrees of those that it does not show. The format is described
in `ops/docs/audit-format.md`; `proof_checks` verifies it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, Protocol

from ops.tamper_evidence.leaves import leaf_of
from ops.tamper_evidence.stream_tree import LEAF, Prefix, StreamHead, StreamTree, key_of

FORMAT: Final = "fleetlog-audit-proof/1"


class Scope(NamedTuple):
    """The events that a proof shows: all, none, or those of a type or a stream."""

    kind: Literal["all", "nothing", "type", "stream"]
    name: str = ""

    @property
    def prefix(self) -> Prefix | None:
        """The prefix of the keys of its streams; None: no branches are needed."""
        if self.kind == "type":
            return Prefix.of_type(self.name)
        return Prefix.of_stream(self.name) if self.kind == "stream" else None

    def has(self, stream: str) -> bool:
        """Return whether a stream's events are shown."""
        if self.kind == "type":
            return stream.partition(":")[0] == self.name
        return self.kind == "all" or (self.kind, self.name) == ("stream", stream)


class ShownEvent(Protocol):
    """An event in a proof: a `LogRow`, or its position and leaf alone."""

    @property
    def position(self) -> int:
        """Its position in the log."""
        ...

    def leaf(self) -> bytes:
        """Return the leaf."""
        ...


class Bound(NamedTuple):
    """A checkpoint between which and another one a proof shows events."""

    note: str
    """The signed note."""
    size: int
    heads: Iterable[StreamHead] = ()
    """The last events of all streams up to it, in any order; only types and streams need them."""


def proof_lines(
    scope: Scope,
    start: Bound | None,
    end: Bound,
    shown: Iterable[ShownEvent],
    root_between: Callable[[int, int], bytes],
    *,
    opened: Mapping[int, str] = MappingProxyType({}),
) -> Iterator[bytes]:
    """Yield the lines of a proof.

    Args:
        start: None: the proof begins at the beginning of the log.
        shown: all events of the scope between the bounds, in order.
        root_between: returns the root of the full subtree between two sizes of the log, one of `skips`.
        opened: by position, what no proof covers of the event.
    """
    members = {scope.kind: scope.name or True}
    yield _line({"format": FORMAT, "scope": members, "from": start and start.note, "to": end.note})
    size = 0

    def skipped(up_to: int) -> Iterator[bytes]:
        for first, last in skips(size, up_to):
            yield _line({"root": root_between(first, last).hex(), "skip": last - first})

    if start is not None:
        yield from skipped(start.size)
        size = start.size
    for row in shown:
        yield from skipped(row.position - 1)
        yield row.leaf() + b"\n"
        size = row.position
        if size in opened:
            yield _line({"opened": opened[size], "position": size})
    yield from skipped(end.size)
    if scope.prefix is not None:
        if start is not None:
            yield from _branch_lines("from", scope.prefix, start.heads)
        yield from _branch_lines("to", scope.prefix, end.heads)


def skips(first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the bounds of the full subtrees between two sizes of the log."""
    while first < last:
        events = 1 << (last - first).bit_length() - 1
        while first % events:
            events >>= 1
        yield first, first + events
        first += events


def _branch_lines(name: str, prefix: Prefix, heads: Iterable[StreamHead]) -> Iterator[bytes]:
    tree, names = StreamTree(), dict[bytes, str]()

    def noted() -> Iterator[StreamHead]:
        for head in heads:
            key = key_of(head.stream)
            if prefix.begins(key):
                names[key] = head.stream
            yield head

    tree.update(noted())
    path, leaves = tree.branch(prefix)
    yield _line({"branch": name, "path": [node.hex() for node in path]})
    for leaf in leaves:
        key, version, position = LEAF.unpack(leaf)
        who = {"stream": names[key]} if key in names else {"key": key.hex()}
        yield _line({**who, "version": version, "position": position})


def _line(members: dict[str, Any]) -> bytes:
    return leaf_of(members) + b"\n"
