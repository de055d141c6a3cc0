"""The operating system account that runs PostgreSQL: ourselves, but never root (PostgreSQL refuses that)."""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ops.launcher.errors import LauncherError

_CANDIDATES = ("postgres", "nobody")


@dataclass(frozen=True)
class Account:
    """Who runs the server.

    Attributes:
        user: numeric user id, or None for the user we already are.
        group: numeric group id that goes with it.
    """

    user: int | None = None
    group: int | None = None

    def popen_options(self) -> dict[str, Any]:
        """Keyword arguments that make `subprocess.Popen` switch to this account."""
        if self.user is None:
            return {}
        return {"user": self.user, "group": self.group, "extra_groups": []}

    def can_enter(self, folder: Path) -> bool:
        """Whether the account can pass through every parent into `folder`: tried, not computed."""
        check = ["/bin/sh", "-c", 'cd "$1"', "sh", str(folder)]
        done = subprocess.run(check, cwd="/", capture_output=True, check=False, **self.popen_options())
        return done.returncode == 0

    def own(self, path: Path) -> None:
        """Hand a file or folder of ours to the account."""
        if self.user is not None and self.group is not None:
            os.chown(path, self.user, self.group)


def server_account() -> Account:
    """The account that may run PostgreSQL: ourselves, or as root an unprivileged user.

    Raises:
        LauncherError: we are root and no unprivileged user exists.
    """
    if os.geteuid() != 0:
        return Account()
    for name in _CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    raise LauncherError(
        f"PostgreSQL does not run as root, and there is no user {' or '.join(_CANDIDATES)} to run it as"
    )
