"""An instance with a missing, damaged or foreign key store does not start, and does not change it."""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from ops.launcher.instance.data_folder import DataFolder
from ops.testing.product.bodies import usual_body
from ops.testing.product.exchanges import PATHS
from ops.testing.stack import Stack, running_stack

pytestmark = pytest.mark.integration
DECISION: Final = "restore accept --keys-lost"


@pytest.fixture(scope="module")
def stopped() -> Iterator[Stack]:
    """A stopped instance with two drivers; `keys-older` has its keys from before the second."""
    with running_stack() as stack:
        register(stack, "EMP-1")
        stack.stop()
        shutil.copytree(keys_of(stack), older_of(stack))
        stack.start()
        register(stack, "EMP-2")
        stack.stop()
        yield stack


def keys_of(stack: Stack) -> Path:
    return DataFolder(stack.data).keys


def older_of(stack: Stack) -> Path:
    return stack.data.with_name("keys-older")


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


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}


def put_older(keys: Path, older: Path) -> None:
    shutil.rmtree(keys)
    shutil.copytree(older, keys)


# More kinds of damage, at the store: ops/base/tests/encryption/test_log_binding.py.
DAMAGES: Final[dict[str, tuple[Callable[[Path, Path], object], str]]] = {
    "folder missing": (lambda keys, _: shutil.rmtree(keys), "there is no key store"),
    "older copy": (put_older, "the key store lacks 1 of"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_an_instance_with_a_damaged_key_store_does_not_start(stopped: Stack, damage: str) -> None:
    keys, away = keys_of(stopped), stopped.data.with_name("away")
    shutil.copytree(keys, away)
    damages, reason = DAMAGES[damage]
    damages(keys, older_of(stopped))
    existed, before = keys.exists(), files_of(keys)
    assert reason in refused(stopped)
    assert (keys.exists(), files_of(keys)) == (existed, before)
    if not reason.startswith("the key store lacks"):  # only a comparison with the log shows it
        doctor = stopped.run("doctor")
        assert (doctor.returncode, "no personal data can be read" in doctor.stdout) == (1, True)
    shutil.rmtree(keys, ignore_errors=True)
    away.rename(keys)


def test_restoring_the_keys_folder_makes_everything_readable(stopped: Stack) -> None:
    stopped.start()
    try:
        usual = usual_body("driver").sent["name"]
        assert names(stopped) == {"EMP-1": usual, "EMP-2": usual}
        register(stopped, "EMP-3")
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
    usual = usual_body("driver").sent["name"]
    assert names(stopped) == {"EMP-1": None, "EMP-2": None, "EMP-3": None, "EMP-NEW": usual}
    stopped.stop()
    shutil.rmtree(keys)
    real.rename(keys)  # lacks the key of the last driver
    assert "the key store lacks 1 of" in refused(stopped)
