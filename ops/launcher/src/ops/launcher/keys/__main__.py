"""`python -m ops.launcher.keys`: make the database of the keys, and give it its roles.

It is the service `prepare-keys` of `compose.yaml`, and may be run as often as one likes. With `rotate`, and
the worker's settings of the keys, it wraps all keys anew and destroys what wrapped them before.
"""

import argparse
import asyncio
import sys
from pathlib import Path

from pydantic import Field, SecretStr

from ops.base.sealing.stores import configured_store
from ops.base.sealing.wrapping import KeysUnavailable
from ops.base.settings import PREFIX, ServiceSettings, read_secret
from ops.launcher.containers import failing_plainly
from ops.launcher.instance.database import check_database
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
    """Carry out what is asked for, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m ops.launcher.keys")
    parser.add_argument("command", nargs="?", choices=["prepare", "rotate"], default="prepare")
    return asyncio.run(_rotate()) if parser.parse_args().command == "rotate" else _prepare()


async def _rotate() -> int:
    try:
        async with configured_store() as store:
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
