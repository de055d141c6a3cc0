"""`./fleetlog secrets`: passwords and keys for the services of `compose.yaml`.

Examples:
  ./fleetlog secrets                  into secrets/; existing files stay
  ./fleetlog secrets /srv/secrets
"""

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
from ops.launcher.paths import PROJECT
from ops.launcher.postgres.groups import KEY_GROUPS, SERVICE_GROUPS

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
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=DEFAULT,
        help="target folder (default: secrets in the project folder)",
    )


def run(arguments: argparse.Namespace) -> int:
    created = make_secrets(arguments.folder)
    print(f"{arguments.folder}: {'created ' + ', '.join(created) if created else 'nothing was missing'}")
    if SEALING_KEY in created:
        print(f"Store a copy of {SEALING_KEY} and {PSEUDONYM_KEY}; give {PUBLIC_KEY} to auditors.")
        print(f"Store a copy of {KEY_ENCRYPTION_KEYS} too, but apart from backups of the log's database.")
    return 0


def make_secrets(folder: Path) -> list[str]:
    """Create the secrets that a folder lacks.

    Returns:
        The names of the new files.
    """
    # Only the owner may enter the folder. The files are readable to the users of containers, because the
    # engine mounts one or two of them into each.
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    makers: dict[str, Callable[[], str]] = dict.fromkeys(PASSWORDS, partial(secrets.token_urlsafe, 32))
    makers |= {PSEUDONYM_KEY: new_pseudonym_key, SEALING_KEY: new_sealing_key}
    makers[f"{KEY_ENCRYPTION_KEYS}/{VALIDATORS_KEY}"] = new_key_encryption_key
    keys = folder / KEY_ENCRYPTION_KEYS
    keys.mkdir(exist_ok=True)
    if not any(keys.glob("epoch-*.key")):
        makers[f"{KEY_ENCRYPTION_KEYS}/epoch-1.key"] = new_key_encryption_key
    missing = [name for name in makers if not (folder / name).exists()]
    for name in missing:
        write_private(folder / name, makers[name](), durable=True)
        (folder / name).chmod(0o644)
    # Workers create and destroy key-encryption keys; those that a worker created belong to its user already.
    for path in (keys, *keys.glob("epoch-*.key")):
        with suppress(PermissionError):
            path.chmod(0o777 if path is keys else 0o666)
    (folder / PUBLIC_KEY).write_text(public_line(read_sealing_key(folder / SEALING_KEY)), encoding="utf-8")
    return missing
