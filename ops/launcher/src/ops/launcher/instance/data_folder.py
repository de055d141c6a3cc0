"""The data folder: everything that one instance keeps, and the lock that makes it one instance."""

import argparse
import fcntl
import os
import time
from pathlib import Path
from typing import IO, Self

from ops.launcher.errors import LauncherError
from ops.launcher.paths import DEFAULT_DATA

_LOCK_SECONDS = 0.5
"""Patience for the lock: other commands hold it for an instant to see whether someone else does."""


def add_data_argument(parser: argparse.ArgumentParser) -> None:
    """Give a command the argument `--data`; a relative folder counts from the current one."""
    parser.add_argument(
        "--data",
        type=Path,
        default=DEFAULT_DATA,
        metavar="FOLDER",
        help="the instance's data folder (default: .fleetlog in the project folder)",
    )


class DataFolder:
    """The folder of one instance.

    Attributes:
        path: absolute path of the folder.
        logs: the parts' log files.
        gateway: nginx's configuration.
        identity_provider: the development identity provider's keys.
        audit: what makes changes to the log evident.
        kafka: what the broker of `./fleetlog kafka` keeps.
        seals: the log's.
        sealing_key: what they are signed with.
        pseudonym_key: what people's pseudonyms are made with.
        secrets: file with the passwords.
        sign_in: file that names the company's identity provider, where there is one.
        keys_location: file that says where its keys are, if they are elsewhere.
        record: file that says what is running.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.logs = self.path / "logs"
        self.gateway = self.path / "gateway"
        self.identity_provider = self.path / "identity-provider"
        self.audit = self.path / "audit"
        self.kafka = self.path / "kafka"
        self.seals = self.audit / "seals"
        self.sealing_key = self.audit / "sealing-key.pem"
        # Beside the other key, so that backups hold it.
        self.pseudonym_key = self.audit / "pseudonym-key"
        self.keys_location = self.path / "keys-location"
        self.secrets = self.path / "secrets.json"
        self.sign_in = self.path / "sign-in.json"
        self.record = self.path / "running.json"
        self._lock: IO[str] | None = None

    @property
    def keys(self) -> Path:
        """What people's data is sealed with; no backup holds it."""
        if self.keys_location.exists():
            return Path(self.keys_location.read_text(encoding="utf-8").strip())
        return self.path / "keys"

    def create(self) -> Self:
        """Make the folder and its parts, if they are not there.

        Raises:
            LauncherError: that is not possible.
        """
        try:
            if not self.path.is_dir():
                self.path.mkdir(parents=True)
                # PostgreSQL's user must pass through root's; everything private in it is 0600 or 0700
                self.path.chmod(0o711 if os.geteuid() == 0 else 0o700)
            for folder in (self.logs, self.gateway, self.identity_provider, self.audit):
                folder.mkdir(mode=0o700, exist_ok=True)
            with (self.path / "lock").open("a"):
                pass
        except OSError as error:
            raise LauncherError(f"cannot write to the data folder {self.path}: {error.strerror}") from error
        return self

    def lock(self) -> None:
        """Make this process the one that runs the instance, until it ends (however it ends).

        Raises:
            LauncherError: another process does.
        """
        lock = (self.path / "lock").open("r+")
        deadline = time.monotonic() + _LOCK_SECONDS
        while not _try_lock(lock, fcntl.LOCK_EX):
            if time.monotonic() > deadline:
                owner = lock.read().strip()
                lock.close()
                raise LauncherError(
                    f"{self.path} is in use by a running instance (process {owner}); ./fleetlog down ends it"
                )
            time.sleep(0.02)
        lock.truncate()
        lock.write(str(os.getpid()))
        lock.flush()
        self._lock = lock

    def unlock(self) -> None:
        """Let others run the instance, if this process was the one that did."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def owner(self) -> int | None:
        """Process id of the launcher that runs this instance now, or None."""
        try:
            lock = (self.path / "lock").open("r")
        except OSError:
            return None
        with lock:
            return None if _try_lock(lock, fcntl.LOCK_SH) else int(lock.read().strip() or 0) or None

    def wait_until_free(self, seconds: float) -> bool:
        """Wait until no launcher runs this instance; False when one still does after `seconds`."""
        deadline = time.monotonic() + seconds
        while self.owner() is not None:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True


def _try_lock(file: IO[str], mode: int) -> bool:
    try:
        fcntl.flock(file, mode | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
