"""Head and body of an answer are sent together."""

import asyncio

from ops.base.http.protocol import JoinedWrites


class Recording(asyncio.Transport):
    """Records each write."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[bytes] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.sent.append(bytes(data))

    def close(self) -> None:
        self.sent.append(b"closed")

    def abort(self) -> None:
        self.sent.append(b"aborted")

    def get_write_buffer_size(self) -> int:
        return 100


def joined() -> tuple[JoinedWrites, list[bytes]]:
    transport = Recording()
    return JoinedWrites(transport, asyncio.get_running_loop()), transport.sent


async def test_head_without_body_is_sent_in_the_next_iteration() -> None:
    transport, sent = joined()
    transport.write(b"head")
    transport.write(b"")
    await asyncio.sleep(0)
    assert sent == [b"head"]


async def test_joined_writes_are_sent_within_the_iteration() -> None:
    transport, sent = joined()
    for part in (b"1", b"2", b"3"):
        transport.write(part)
    assert b"".join(sent) == b"12"
    assert transport.get_write_buffer_size() == 101
    await asyncio.sleep(0)
    assert b"".join(sent) == b"123"
    assert transport.get_write_buffer_size() == 100


async def test_closing_sends_what_is_held_first_and_aborting_drops_it() -> None:
    transport, sent = joined()
    transport.write(b"last")
    transport.close()
    assert sent == [b"last", b"closed"]
    transport.write(b"lost")
    transport.abort()
    await asyncio.sleep(0)
    assert sent == [b"last", b"closed", b"aborted"]
