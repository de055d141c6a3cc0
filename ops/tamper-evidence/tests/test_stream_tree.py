"""The tree of streams: its root depends on the last events alone, and its proofs lead to it."""

from collections.abc import Callable
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.tamper_evidence.stream_tree import Prefix, StreamHead, StreamTree, key_of, root_of_branch

EMPTY = bytes(32)
streams = st.builds("{}:{}".format, st.sampled_from(["driver", "horse"]), st.integers(0, 40))
heads = st.dictionaries(streams, st.tuples(st.integers(1, 9), st.integers(1, 2**40)), max_size=60)
Heads = dict[str, tuple[int, int]]


def root_by_definition(leaves: dict[str, bytes]) -> bytes:
    """Return the root of leaves by the bits of their keys."""
    if not leaves:
        return EMPTY
    if len(leaves) == 1:
        return sha256(b"\x02" + next(iter(leaves.values()))).digest()
    halves = ({key[1:]: leaf for key, leaf in leaves.items() if key[0] == bit} for bit in "01")
    return sha256(b"\x03" + b"".join(root_by_definition(half) for half in halves)).digest()


def leaves_of(heads: Heads) -> dict[str, bytes]:
    return {
        f"{int.from_bytes(key_of(stream)):0256b}": StreamHead(stream, *head).leaf()
        for stream, head in heads.items()
    }


def tree_of(heads: Heads) -> StreamTree:
    tree = StreamTree()
    tree.update(StreamHead(stream, *head) for stream, head in heads.items())
    return tree


@given(heads)
def test_root_is_that_of_the_definition(heads: Heads) -> None:
    assert tree_of(heads).root == root_by_definition(leaves_of(heads))


@given(heads, st.lists(st.tuples(streams, st.booleans())))
def test_root_does_not_depend_on_earlier_events_and_roots(
    heads: Heads, changes: list[tuple[str, bool]]
) -> None:
    tree, current = tree_of(heads), dict(heads)
    for position, (stream, is_read) in enumerate(changes, start=2**40 + 1):
        current[stream] = (current.get(stream, (0, 0))[0] + 1, position)
        tree.update([StreamHead(stream, *current[stream])])
        assert not is_read or tree.root == tree_of(current).root
    assert tree.root == tree_of(current).root


@given(heads, streams, st.sampled_from([Prefix.of_stream, Prefix.of_type]))
def test_branch_has_all_leaves_with_its_prefix_and_leads_to_the_root(
    heads: Heads, stream: str, prefix_of: Callable[[str], Prefix]
) -> None:
    tree = tree_of(heads)
    prefix = prefix_of(stream if prefix_of == Prefix.of_stream else stream.partition(":")[0])
    path, leaves = tree.branch(prefix)
    assert root_of_branch(prefix, path, leaves) == tree.root
    matching = [StreamHead(one, *head).leaf() for one, head in heads.items() if prefix.begins(key_of(one))]
    assert [leaf for leaf in leaves if prefix.begins(leaf)] == sorted(matching)
    assert len(leaves) == len(matching) or len(leaves) == 1
    for number in range(len(leaves)):
        fewer = leaves[:number] + leaves[number + 1 :]
        assert root_of_branch(prefix, path, fewer) != tree.root
        later = [*leaves[:number], leaves[number][:-1] + b"\xff", *leaves[number + 1 :]]
        assert later == leaves or root_of_branch(prefix, path, later) != tree.root


def test_leaves_with_many_equal_bits_are_distinguished(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys that differ in their last bits only, as no search has found for real streams."""
    keys = {"a:1": bytes(32), "a:2": bytes(31) + b"\x01", "a:3": bytes(31) + b"\x02"}
    monkeypatch.setattr("ops.tamper_evidence.stream_tree.key_of", keys.get)
    tree = tree_of(dict.fromkeys(keys, (1, 1)))
    branches = {stream: tree.branch(Prefix.of_stream(stream)) for stream in keys}
    assert [len(path) for path, _ in branches.values()] == [256, 256, 255]
    assert {root_of_branch(Prefix.of_stream(stream), *branches[stream]) for stream in keys} == {tree.root}


def test_streams_of_a_type_have_a_common_beginning() -> None:
    assert key_of("driver:1")[:2] == key_of("driver:2")[:2] != key_of("horse:1")[:2]


LEAF_1, LEAF_2 = (StreamHead(f"a:{number}", 1, number).leaf() for number in (1, 2))


@pytest.mark.parametrize(
    ("prefix", "path", "leaves"),
    [
        (Prefix.of_stream("a:1"), [EMPTY] * 257, [LEAF_1]),
        (Prefix.of_type("a"), [EMPTY] * 17, [LEAF_1]),
        (Prefix.of_stream("a:1"), [EMPTY] * 256, [LEAF_2]),
        (Prefix.of_stream("a:1"), [EMPTY] * 2, sorted([LEAF_1, LEAF_2])),
        (Prefix.of_type("a"), [EMPTY] * 16, [LEAF_1, LEAF_1]),
        (Prefix.of_type("a"), [EMPTY] * 16, sorted([LEAF_1, LEAF_2], reverse=True)),
    ],
)
def test_impossible_branch_is_refused(prefix: Prefix, path: list[bytes], leaves: list[bytes]) -> None:
    with pytest.raises(ValueError, match="branch"):
        root_of_branch(prefix, path, leaves)
