"""`python -m ops.launcher.keys`: create the database of the keys and its roles, or work on its keys.

The services `prepare-keys`, `key-backups` and `restore-keys` of `compose.yaml` run it. `prepare` may run at
any time. `rotate`, with the worker's settings of the keys, encrypts all keys anew and destroys the
key-encryption keys of before.
"""

import argparse
import asyncio
import signal
import sys
import threading
from pathlib import Path

from pydantic import Field, SecretStr

from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.encryption.settings import KeySettings, open_configured_store
from ops.base.settings import PREFIX, ServiceSettings, read_secret
from ops.launcher.containers import failing_plainly
from ops.launcher.instance.database import check_database
from ops.launcher.keys.backup_service import KeyBackupSettings, keep_backups
from ops.launcher.keys.backups import KeyBackups
from ops.launcher.keys.groups import KEY_GROUPS
from ops.launcher.keys.preparing import prepare_keys_database


class KeysDatabaseSettings(ServiceSettings):
    """The owner's DSN, and which passwords the roles are to have."""

    database: SecretStr = Field(description="PostgreSQL DSN of a role that may make schemas and roles")
    user_password_file: Path
    eraser_password_file: Path

    def passwords(self) -> dict[str, str]:
        """Return the passwords, by the names of `KEY_GROUPS`.

        Raises:
            ValueError: one of them cannot be read.
        """
        return {
            name: read_secret(getattr(self, f"{name}_password_file"), f"{PREFIX}{name.upper()}_PASSWORD_FILE")
            for name in KEY_GROUPS
        }


def main() -> int:
    """Run a command, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m ops.launcher.keys")
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("prepare", help="create the schema and the roles; the default")
    commands.add_parser("rotate", help="begin a new epoch of key-encryption keys")
    commands.add_parser("keep-backups", help="back the keys up by a schedule, until ended")
    commands.add_parser("backup", help="take one more backup now")
    restore = commands.add_parser("restore", help="add the keys of a backup to the database")
    restore.add_argument("name", nargs="?", metavar="FILE", help="which backup (default: the newest)")
    arguments = parser.parse_args()
    if arguments.command == "rotate":
        return asyncio.run(_rotate())
    if arguments.command in ("keep-backups", "backup", "restore"):
        with failing_plainly("keys"):
            _back_up_or_restore(arguments)
        return 0
    return _prepare()


def _back_up_or_restore(arguments: argparse.Namespace) -> None:
    settings, store = KeyBackupSettings(), KeySettings.load()
    match arguments.command:
        case "keep-backups":
            ending = threading.Event()
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: ending.set())
            keep_backups(settings, store, ending)
        case "backup":
            print(f"keys: {settings.take(store)}")
        case _:
            restored = KeyBackups(settings.key_backups).restore(store, arguments.name)
            print(f"keys: {restored.keys} restored, {restored.existing} existed already")


async def _rotate() -> int:
    try:
        async with open_configured_store() as store:
            if store is None:
                sys.exit(f"keys: {PREFIX}KEYS names no store")
            done = await store.rotate()
    except (KeysUnavailable, ValueError) as error:
        sys.exit(f"keys: {error}")
    if done.kept_because is not None:
        sys.exit(f"keys: what wraps keys is not destroyed: {done.kept_because}")
    print(
        f"keys: {done.survivors} of them are wrapped by epoch {done.epoch}; what wrapped them before is gone"
    )
    return 0


def _prepare() -> int:
    settings = KeysDatabaseSettings.load()
    owner = settings.database.get_secret_value()
    with failing_plainly("keys"):
        try:
            passwords = settings.passwords()
        except ValueError as error:
            sys.exit(f"keys: {error}")
        check_database(owner)
        prepare_keys_database(owner, passwords)
    print("keys: the database is up to date, and has its roles")
    return 0


if __name__ == "__main__":
    sys.exit(main())
