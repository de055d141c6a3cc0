import os
import signal
import subprocess
import sys

import pytest

from ops.base.process.failpoints import SETTING, Failpoints

PROGRAM = """
from ops.base.process.failpoints import failpoint
for _ in range(3):
    failpoint("elsewhere")
    failpoint("here")
    print("passed", flush=True)
"""


def run(setting: str | None) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != SETTING}
    if setting is not None:
        environment[SETTING] = setting
    return subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("setting", "passes"), [("here", 0), ("here:2", 1), ("unknown,here:3", 2), ("elsewhere:1,here", 0)]
)
def test_an_armed_failpoint_kills_the_process_there(setting: str, passes: int) -> None:
    ended = run(setting)
    assert (ended.returncode, ended.stdout.count("passed")) == (-signal.SIGKILL, passes)


@pytest.mark.parametrize("setting", [None, "", "unknown", "here:4"])
def test_a_failpoint_that_is_not_armed_does_nothing(setting: str | None) -> None:
    ended = run(setting)
    assert (ended.returncode, ended.stdout.count("passed")) == (0, 3)


def test_a_malformed_setting_is_refused() -> None:
    with pytest.raises(ValueError, match="x"):
        Failpoints({SETTING: "here:x"})
