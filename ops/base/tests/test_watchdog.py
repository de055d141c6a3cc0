"""A process with a blocked event loop is ended, and prints the stack."""

import subprocess
import sys

import pytest

PROGRAM = """
import asyncio, re, sys, threading, time
from ops.base.process.watchdog import watched

def hold_up(secret):
    {how}

async def main():
    async with watched(float(sys.argv[1])):
        await asyncio.sleep(0.1)
        hold_up("4111-1111")
        await asyncio.sleep(0)

asyncio.run(main())
print("it continued")
"""


def run(how: str, seconds: float) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM.format(how=how), str(seconds)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "how",
    [
        "re.fullmatch('(a+)+b', 'a' * 64)",
        "time.sleep(3600)",
        "threading.Event().wait()",
    ],
    ids=["a regular expression", "sleep", "a deadlock"],
)
def test_blocked_loop_ends_the_process_with_its_stack(how: str) -> None:
    ended = run(how, 0.5)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "Timeout" in ended.stderr
    assert "in hold_up" in ended.stderr
    assert "4111" not in ended.stderr


@pytest.mark.parametrize(("how", "seconds"), [("pass", 60), ("time.sleep(1)", 0)])
def test_responsive_or_unwatched_loop_continues(how: str, seconds: float) -> None:
    assert run(how, seconds).stdout == "it continued\n"
