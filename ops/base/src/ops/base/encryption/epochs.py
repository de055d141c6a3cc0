"""Files of key-encryption keys: one for each epoch, created at its beginning and destroyed after its end."""

import fcntl
import os
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from ops.base.files import to_disk
from ops.base.process.failpoints import failpoint

KEY_BYTES: Final = 32
VALIDATORS_KEY: Final = "validators.key"
"""File in the same folder: the key of entity tags, see `ops.base.http.record_etags`."""
_NAME: Final = re.compile(r"epoch-([1-9][0-9]{0,8})\.key")


def epochs_in(folder: Path) -> list[int]:
    """Return the epochs whose key-encryption keys are in a folder; raises `OSError`."""
    return [int(match[1]) for file in folder.iterdir() if (match := _NAME.fullmatch(file.name))]


def path_of(folder: Path, epoch: int) -> Path:
    """Return the path of an epoch's key-encryption key."""
    return folder / f"epoch-{epoch}.key"


def new_key_encryption_key() -> str:
    """Return the text of a new key-encryption key file."""
    return secrets.token_hex(KEY_BYTES)


def begin_epoch(folder: Path) -> int:
    """Create the key-encryption key of a new epoch on disk, and return the epoch.

    The file has the owner and mode of the previous epoch's.

    Raises:
        OSError: the file cannot be created, or this process could not destroy the previous ones.
    """
    locked = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(locked, fcntl.LOCK_EX)  # two processes would create the same epoch
        former = [path_of(folder, epoch) for epoch in sorted(epochs_in(folder))]
        for path in former:
            if not os.access(path, os.W_OK):
                raise PermissionError(None, "cannot be destroyed from here", str(path))
        epoch = max(epochs_in(folder)) + 1
        _create(path_of(folder, epoch), like=former[-1].stat())
        os.fsync(locked)
    finally:
        os.close(locked)
    return epoch


def destroy_epochs_before(folder: Path, epoch: int) -> int | None:
    """Overwrite and delete the key-encryption keys of all epochs before one; raises `OSError`.

    Returns:
        The newest epoch destroyed now, or None.
    """
    destroyed = None
    for former in sorted(one for one in epochs_in(folder) if one < epoch):
        path = path_of(folder, former)
        with suppress(FileNotFoundError):  # another process destroys the file
            with path.open("r+b") as file:
                file.write(bytes(path.stat().st_size))
                file.flush()
                os.fsync(file.fileno())
            failpoint("keys.epoch_overwritten")
            path.unlink()
            destroyed = former
        to_disk(folder)
        failpoint("keys.epoch_destroyed")
    return destroyed


def _create(path: Path, *, like: os.stat_result) -> None:
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)  # of a killed process; not in use
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        with suppress(PermissionError):
            os.fchown(file.fileno(), like.st_uid, like.st_gid)
        os.fchmod(file.fileno(), like.st_mode & 0o777)
        file.write(new_key_encryption_key())
        file.flush()
        os.fsync(file.fileno())
    failpoint("keys.epoch_written")
    new.rename(path)
