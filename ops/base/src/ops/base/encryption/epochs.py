"""Files of key-encryption keys: one for each epoch, made when it begins and destroyed after it has ended."""

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
"""In the same folder, but of no epoch: the key of entity tags, see `ops.base.http.validators`."""
_NAME: Final = re.compile(r"epoch-([1-9][0-9]{0,8})\.key")


def epochs_in(folder: Path) -> list[int]:
    """Return the epochs whose key-encryption keys are in a folder.

    Raises:
        OSError: it cannot be read.
    """
    return [int(match[1]) for file in folder.iterdir() if (match := _NAME.fullmatch(file.name))]


def path_of(folder: Path, epoch: int) -> Path:
    """Return where an epoch's key-encryption key is."""
    return folder / f"epoch-{epoch}.key"


def new_key_encryption_key() -> str:
    """Make the text of such a file."""
    return secrets.token_hex(KEY_BYTES)


def begin_epoch(folder: Path) -> int:
    """Make the key-encryption key of a new epoch, and return which it is.

    It is there after a power failure, and for whoever may use the one before.

    Args:
        folder: where the one before is.

    Raises:
        OSError: that is not possible, or a former one could not be destroyed here.
    """
    locked = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(locked, fcntl.LOCK_EX)  # two would make the same epoch
        formers = [path_of(folder, epoch) for epoch in sorted(epochs_in(folder))]
        for path in formers:
            if not os.access(path, os.W_OK):
                raise PermissionError(None, "cannot be destroyed from here", str(path))
        epoch = max(epochs_in(folder)) + 1
        _make(path_of(folder, epoch), like=formers[-1].stat())
        os.fsync(locked)
    finally:
        os.close(locked)
    return epoch


def destroy_epochs_before(folder: Path, epoch: int) -> int | None:
    """Destroy the key-encryption keys of all former epochs.

    Args:
        folder: where they are.
        epoch: the one that stays, with those after it.

    Returns:
        The newest one that is destroyed now; None: there was none.

    Raises:
        OSError: one of them could not be destroyed.
    """
    destroyed = None
    for former in sorted(one for one in epochs_in(folder) if one < epoch):
        path = path_of(folder, former)
        with suppress(FileNotFoundError):  # somebody else destroys as well
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


def _make(path: Path, *, like: os.stat_result) -> None:
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)  # of somebody who was killed before anybody used it
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        with suppress(PermissionError):
            os.fchown(file.fileno(), like.st_uid, like.st_gid)
        os.fchmod(file.fileno(), like.st_mode & 0o777)
        file.write(new_key_encryption_key())
        file.flush()
        os.fsync(file.fileno())
    failpoint("keys.epoch_written")
    new.rename(path)
