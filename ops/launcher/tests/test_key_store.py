"""An instance with a missing, damaged or foreign key store does not start, and does not change it."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from ops.launcher.instance.data_folder import DataFolder
from ops.testing.product.bodies import usual_body
from ops.testing.product.exchanges import PATHS
from ops.testing.stack import Stack, running_stack

pytestmark = pytest.mark.integration
DECISION: Final = "restore accept --keys-lost"
NAME: Final = usual_body("driver").sent["name"]


@pytest.fixture(scope="module")
def stopped() -> Iterator[Stack]:
    """A stopped instance with a driver."""
    with running_stack() as stack:
        register(stack, "EMP-1")
        stack.stop()
        yield stack


def keys_of(stack: Stack) -> Path:
    return DataFolder(stack.data).keys


def register(stack: Stack, employee: str) -> None:
    with stack.http() as http:
        body = {"id": employee, **usual_body("driver").sent}
        http.post(PATHS["driver"], json=body).raise_for_status()


def names(stack: Stack) -> dict[str, Any]:
    with stack.http() as http:
        listed = http.get(PATHS["driver"]).raise_for_status().json()
        return {one["id"]: one["name"] for one in listed["content"]}


def refused(stack: Stack) -> str:
    with pytest.raises(RuntimeError, match="the stack did not start") as failed:
        stack.start()
    assert stack.launcher is not None
    assert stack.launcher.wait(60) == 1
    (line,) = [line for line in str(failed.value).splitlines() if DECISION in line]
    return line


# More kinds of damage, at the store: ops/base/tests/encryption/test_log_binding.py.
def test_an_instance_without_its_key_store_does_not_start(stopped: Stack) -> None:
    keys, away = keys_of(stopped), stopped.data.with_name("away")
    keys.rename(away)
    assert "there is no key store" in refused(stopped)
    assert not keys.exists()
    doctor = stopped.run("doctor")
    assert (doctor.returncode, "no personal data can be read" in doctor.stdout) == (1, True)
    away.rename(keys)
    stopped.start()
    try:
        assert names(stopped) == {"EMP-1": NAME}
    finally:
        stopped.stop()


def test_an_operator_accepts_the_loss_of_the_keys(stopped: Stack) -> None:
    keys = keys_of(stopped)
    real = keys.rename(stopped.data.with_name("real"))
    done: subprocess.CompletedProcess[str] = stopped.run("restore", "accept", "--keys-lost")
    assert done.returncode == 0, done.stderr
    assert re.search(r"Accepted: the keys of [1-9]\d* events are lost", done.stdout)
    stopped.start()
    register(stopped, "EMP-NEW")
    assert names(stopped) == {"EMP-1": None, "EMP-NEW": NAME}
    stopped.stop()
    shutil.rmtree(keys)
    real.rename(keys)  # lacks the key of the last driver
    before = {path.name: path.read_bytes() for path in keys.iterdir()}
    assert "the key store lacks 1 of" in refused(stopped)
    assert {path.name: path.read_bytes() for path in keys.iterdir()} == before
