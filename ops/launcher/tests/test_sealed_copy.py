"""A sealed copy takes the place of what was in the clear, wherever that is interrupted."""

import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.sealed_copy import SealedCopy
from ops.launcher.postgres.account import Account
from ops.launcher.postgres.cluster import Cluster


class Killed(Exception):
    """Stands for `kill -9`."""


def written(path: Path, text: str) -> None:
    path.mkdir(parents=True)
    (path / "content").write_text(text)


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    """An instance of which a sealed copy was made."""
    return DataFolder(tmp_path).create()


def copy_of(folder: DataFolder) -> SealedCopy:
    return SealedCopy(folder, Cluster(folder.path / "postgres", Path("binaries"), Account(None, None)))


def made(folder: DataFolder) -> SealedCopy:
    copy = copy_of(folder)
    written(folder.path / "postgres" / "cluster", "clear")
    written(folder.seals, "former")
    copy.begin()
    written(copy.cluster.data, "sealed")
    (copy.seals / "content").write_text("new")
    return copy


def read(folder: DataFolder) -> tuple[str, str]:
    return (
        (folder.path / "postgres" / "cluster" / "content").read_text(),
        (folder.seals / "content").read_text(),
    )


def killing(steps: int) -> Callable[..., Any]:
    """Return what ends the process after so many calls."""
    left = iter(range(steps))

    def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if next(left, None) is None:
            raise Killed
        return function(*args, **kwargs)

    return call


def test_what_is_interrupted_before_the_copy_is_whole_leaves_the_log_as_it_is(folder: DataFolder) -> None:
    made(folder)
    copy_of(folder).take_over()
    assert read(folder) == ("clear", "former")
    copy_of(folder).begin()
    assert not copy_of(folder).cluster.folder.exists()


_ENDING: Final = """
import os, pathlib, sys
data = pathlib.Path(sys.argv[1])
(data / "postmaster.pid").write_text(f"{os.getpid()}\\n")
print("writes", flush=True)
for number in range(2_000):
    (data / str(number)).write_text("")
"""


def test_an_attempt_waits_until_the_server_of_the_one_before_writes_no_more(folder: DataFolder) -> None:
    copy = made(folder)
    ending = [sys.executable, "-c", _ENDING, str(copy.cluster.data)]
    with subprocess.Popen(ending, stdout=subprocess.PIPE) as server:
        assert server.stdout
        server.stdout.readline()
        threading.Thread(target=server.wait).start()  # or its number is taken until somebody asks
        copy.begin()
        assert server.poll() == 0
    assert not copy.cluster.folder.exists()


@pytest.mark.parametrize("steps", range(6))
def test_a_copy_that_is_whole_takes_over_wherever_it_was_killed(
    folder: DataFolder, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = made(folder)
    with monkeypatch.context() as patch:
        call = killing(steps)
        rename, rmtree, unlink = Path.rename, shutil.rmtree, Path.unlink
        patch.setattr(Path, "rename", lambda *args: call(rename, *args))
        patch.setattr(shutil, "rmtree", lambda *args, **options: call(rmtree, *args, **options))
        patch.setattr(Path, "unlink", lambda *args: call(unlink, *args))
        with pytest.raises(Killed):
            copy.finish()

    copy_of(folder).take_over()

    assert read(folder) == ("sealed", "new")
    assert (copy.former / "content").read_text() == "clear"
    assert sorted(path.name for path in folder.audit.iterdir()) == ["seals"]
    copy_of(folder).take_over()
    assert read(folder) == ("sealed", "new")
