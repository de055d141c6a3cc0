"""Error and health reporting of commands that run only in containers."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from ops.base.settings import PREFIX, ServiceSettings, explained, read_secret
from ops.launcher.errors import LauncherError


@contextmanager
def exit_on_error(name: str) -> Iterator[None]:
    """End the process with one line, after the command's name, if the context fails as expected."""
    try:
        yield
    except ValidationError as error:
        sys.exit(explained(error))
    except (LauncherError, OSError) as error:
        sys.exit(f"{name}: {error}")


def report_health(file: Path | None, *, healthy: bool) -> None:
    """Create or remove the file that a container's health check looks for; None: it has no check."""
    if file is not None:
        file.touch() if healthy else file.unlink(missing_ok=True)


def read_passwords(settings: ServiceSettings, roles: Iterable[str]) -> dict[str, str]:
    """Read the password file of each role, which the settings name `ROLE_password_file`."""
    try:
        return {
            role: read_secret(
                getattr(settings, f"{role}_password_file"), f"{PREFIX}{role.upper()}_PASSWORD_FILE"
            )
            for role in roles
        }
    except ValueError as error:
        raise LauncherError(str(error)) from None
