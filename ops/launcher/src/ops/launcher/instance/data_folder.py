"""The data folder of an instance, and the lock that admits one launcher."""

import argparse
import fcntl
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Self

from ops.launcher.errors import LauncherError
from ops.launcher.paths import DEFAULT_DATA

_LOCK_SECONDS = 0.5
"""How long to wait for the lock, which other commands hold for an instant to test it."""


def add_data_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--data` to a command."""
    parser.add_argument(
        "--data",
        type=Path,
        default=DEFAULT_DATA,
        metavar="FOLDER",
        help="the instance's data folder (default: .fleetlog in the project folder)",
    )


def add_actions(parser: argparse.ArgumentParser, actions: Mapping[str, str]) -> list[argparse.ArgumentParser]:
    """Add actions to a command, by name and purpose; each accepts `--data`, too, and sets `action`."""
    subparsers = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    parsers = []
    for name, purpose in actions.items():
        parsers.append(
            subparsers.add_parser(name, help=purpose, description=purpose[0].upper() + purpose[1:] + ".")
        )
        parsers[-1].add_argument("--data", type=Path, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    return parsers


class DataFolder:
    """The files of one instance."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.logs = self.path / "logs"
        self.gateway = self.path / "gateway"
        self.identity_provider = self.path / "identity-provider"  # the development one's keys and sessions
        self.audit = self.path / "audit"  # seals, and the keys that backups include
        self.kafka = self.path / "kafka"
        self.seals = self.audit / "seals"
        self.sealing_key = self.audit / "sealing-key.pem"
        self.pseudonym_key = self.audit / "pseudonym-key"
        self.keys_location = self.path / "keys-location"  # the path of `keys`, if they are elsewhere
        self.secrets = self.path / "secrets.json"
        self.sign_in = self.path / "sign-in.json"  # the company's identity provider, if there is one
        self.record = self.path / "running.json"  # the running processes
        self._lock: IO[str] | None = None

    @property
    def keys(self) -> Path:
        """The keys of personal data, which no backup includes."""
        if self.keys_location.exists():
            return Path(self.keys_location.read_text(encoding="utf-8").strip())
        return self.path / "keys"

    def create(self) -> Self:
        """Create the folder and its subfolders, unless they exist."""
        try:
            if not self.path.is_dir():
                self.path.mkdir(parents=True)
                # PostgreSQL's user must pass through root's folder; private files have mode 0600 or 0700.
                self.path.chmod(0o711 if os.geteuid() == 0 else 0o700)
            for folder in (self.logs, self.gateway, self.identity_provider, self.audit):
                folder.mkdir(mode=0o700, exist_ok=True)
            with (self.path / "lock").open("a"):
                pass
        except OSError as error:
            raise LauncherError(f"cannot write to the data folder {self.path}: {error.strerror}") from error
        return self

    def lock(self) -> None:
        """Make this process the instance's owner until it ends."""
        lock = (self.path / "lock").open("r+")
        deadline = time.monotonic() + _LOCK_SECONDS
        while not _try_lock(lock, fcntl.LOCK_EX):
            if time.monotonic() > deadline:
                owner = lock.read().strip()
                lock.close()
                raise LauncherError(
                    f"{self.path} is in use by a running instance (process {owner}); ./fleetlog down stops it"
                )
            time.sleep(0.02)
        lock.truncate()
        lock.write(str(os.getpid()))
        lock.flush()
        self._lock = lock

    def unlock(self) -> None:
        """Release the lock, if this process holds it."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def owner(self) -> int | None:
        """Return the process id of the instance's launcher, or None if it is not running."""
        try:
            lock = (self.path / "lock").open("r")
        except OSError:
            return None
        with lock:
            return None if _try_lock(lock, fcntl.LOCK_SH) else int(lock.read().strip() or 0) or None

    def wait_until_free(self, seconds: float) -> bool:
        """Wait until the instance has no owner; return False if it still has one after `seconds`."""
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
