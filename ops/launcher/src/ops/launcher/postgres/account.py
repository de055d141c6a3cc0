"""The operating system account that runs PostgreSQL, which refuses to run as root."""

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
    """Numeric ids of the server's user and group; None: those of this process."""

    user: int | None = None
    group: int | None = None

    def popen_options(self) -> dict[str, Any]:
        """Return keyword arguments for `subprocess.Popen` to run as this account."""
        if self.user is None:
            return {}
        return {"user": self.user, "group": self.group, "extra_groups": []}

    def can_enter(self, folder: Path) -> bool:
        """Return whether a process of the account can change into `folder`."""
        check = ["/bin/sh", "-c", 'cd "$1"', "sh", str(folder)]
        done = subprocess.run(check, cwd="/", capture_output=True, check=False, **self.popen_options())
        return done.returncode == 0

    def own(self, path: Path) -> None:
        """Make the account the owner of a file or folder."""
        if self.user is not None and self.group is not None:
            os.chown(path, self.user, self.group)


def server_account() -> Account:
    """Return the account that runs PostgreSQL: this process's, or for root an unprivileged user's."""
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
