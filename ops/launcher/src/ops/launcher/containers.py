"""What the commands have in common that containers alone run."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from ops.base.settings import explained
from ops.launcher.errors import LauncherError


@contextmanager
def failing_plainly(name: str) -> Iterator[None]:
    """End the process with what is wrong, in words, where the context's work cannot be done.

    Args:
        name: what a container's log is to call the command.
    """
    try:
        yield
    except ValidationError as error:
        sys.exit(explained(error))
    except (LauncherError, OSError) as error:
        sys.exit(f"{name}: {error}")


def report_health(file: Path | None, *, healthy: bool) -> None:
    """Create or remove the file by which a container's health check knows that the process does its work.

    Args:
        file: the file; None: the container has no such check.
        healthy: whether the last attempt succeeded.
    """
    if file is not None:
        file.touch() if healthy else file.unlink(missing_ok=True)
