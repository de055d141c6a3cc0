"""The command API dies at exactly one boundary; its client sends the command again, to another process."""

import signal
from dataclasses import dataclass

import pytest

from ops.testing.product.exchanges import Actor
from ops.testing.product.history import History
from ops.testing.product.history_check import assert_consistent
from ops.testing.product.whole import assert_whole, head_of
from ops.testing.product.writer import Writer
from ops.testing.service_process import ServiceProcess, service_process
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration


@dataclass(frozen=True)
class Failover:
    """Commands go to a process for as long as it lives, and then to the stack."""

    stack: Stack
    first: ServiceProcess

    @property
    def command_address(self) -> str:
        return self.first.address if self.first.process.poll() is None else self.stack.command_address

    @property
    def query_address(self) -> str:
        return self.stack.query_address

    @property
    def owner_dsn(self) -> str:
        return self.stack.owner_dsn


@pytest.mark.parametrize(
    ("boundary", "command", "was_written"),
    [
        ("command.committed", "a change with If-Match", True),
        ("command.answered", "a registration", True),  # the answer is ready, and never sent
    ],
)
async def test_a_command_is_carried_out_once(
    stack: Stack, asha: Actor, boundary: str, command: str, *, was_written: bool
) -> None:
    before = head_of(stack)
    history = History()
    passes = 1 if command == "a registration" else 2
    environment = stack.record().environments["command-api"]
    async with service_process("command-api", environment, failpoint=f"{boundary}:{passes}") as dying:
        async with Writer(Failover(stack, dying), asha, history, name=f"F{before}") as writer:
            address = await writer.register("trailer")
            await writer.change("trailer", address, known_version=1)
        assert await dying.ended() == -signal.SIGKILL
    lost_answers = assert_consistent(history, assert_whole(stack), before=before)
    assert (history.acknowledged, history.refused, lost_answers) == (2, 0, int(was_written))
