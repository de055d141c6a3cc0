"""The signing key: made once, kept in the state folder, readable by its owner only."""

import os
import tempfile
from pathlib import Path
from typing import Final

from joserfc.jwk import RSAKey

_FILE: Final = "signing-key.pem"


def load_or_create_key(state_dir: Path) -> RSAKey:
    """Return the RS256 signing key of this folder, with its thumbprint (RFC 7638) as `kid`.

    Several processes may call this at once on a fresh folder: all get the same key.

    Args:
        state_dir: made if missing, with mode 0700.

    Raises:
        OSError: the folder cannot be read or written.
        ValueError: the file holds something else.
    """
    state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = state_dir / _FILE
    if not path.exists():
        _write_once(path, RSAKey.generate_key(2048).as_pem(private=True))
    try:
        key = RSAKey.import_key(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path} holds no RSA key; remove it to have a new one made") from error
    key.ensure_kid()
    return key


def _write_once(path: Path, content: bytes) -> None:
    """Put a complete file in place, unless another process was first."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")  # mode 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.link(temporary, path)
    except FileExistsError:
        pass
    finally:
        Path(temporary).unlink()
