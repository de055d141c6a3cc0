"""`./fleetlog secrets`: make the passwords and the key that `compose.yaml` hands to its services."""

import argparse
import secrets
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from ops.base.encryption.epochs import VALIDATORS_KEY, new_key_encryption_key
from ops.launcher.instance.files import write_private
from ops.launcher.instance.sealing_key import PUBLIC_KEY, new_sealing_key, public_line, read_sealing_key
from ops.launcher.instance.secrets import new_pseudonym_key
from ops.launcher.keys.groups import KEY_GROUPS
from ops.launcher.paths import PROJECT
from ops.launcher.postgres.groups import SERVICE_GROUPS

PSEUDONYM_KEY = "pseudonym-key"
SEALING_KEY = "sealing-key.pem"
PASSWORDS = (
    "owner-password",
    *(f"{service}-password" for service in SERVICE_GROUPS),
    *(f"keys-{role}-password" for role in ("owner", *KEY_GROUPS)),
)
KEY_ENCRYPTION_KEYS = "key-encryption-keys"
"""A folder."""
DEFAULT = PROJECT / "secrets"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=DEFAULT,
        help="where to (default: secrets in the project folder)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Make what is missing, and leave what is there."""
    made = make_secrets(arguments.folder)
    print(f"{arguments.folder}: {'made ' + ', '.join(made) if made else 'nothing was missing'}")
    if SEALING_KEY in made:
        print(f"Keep a copy of {SEALING_KEY} and {PSEUDONYM_KEY}; give {PUBLIC_KEY} to auditors.")
        print(f"Keep a copy of {KEY_ENCRYPTION_KEYS} as well, but not beside backups of the log's database.")
    return 0


def make_secrets(folder: Path) -> list[str]:
    """Make the secrets that are missing in a folder.

    Returns:
        The names of the files made now.

    Raises:
        OSError: the folder cannot be written to.
        LauncherError: the key that is there is none.
    """
    # Only its owner may enter the folder. The files themselves are open to the users of containers, each of
    # which is given one or two of them.
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    makers: dict[str, Callable[[], str]] = dict.fromkeys(PASSWORDS, partial(secrets.token_urlsafe, 32))
    makers |= {PSEUDONYM_KEY: new_pseudonym_key, SEALING_KEY: new_sealing_key}
    makers[f"{KEY_ENCRYPTION_KEYS}/{VALIDATORS_KEY}"] = new_key_encryption_key
    (folder / KEY_ENCRYPTION_KEYS).mkdir(exist_ok=True)
    if not any((folder / KEY_ENCRYPTION_KEYS).glob("epoch-*.key")):
        makers[f"{KEY_ENCRYPTION_KEYS}/epoch-1.key"] = new_key_encryption_key
    made = [name for name in makers if not (folder / name).exists()]
    for name in made:
        write_private(folder / name, makers[name](), durable=True)
        (folder / name).chmod(0o644)
    _let_workers_begin_epochs(folder / KEY_ENCRYPTION_KEYS)
    (folder / PUBLIC_KEY).write_text(public_line(read_sealing_key(folder / SEALING_KEY)), encoding="utf-8")
    return made


def _let_workers_begin_epochs(folder: Path) -> None:
    """Let them destroy key-encryption keys as well; those that they have made are theirs already."""
    for path in (folder, *folder.glob("epoch-*.key")):
        with suppress(PermissionError):
            path.chmod(0o777 if path is folder else 0o666)
