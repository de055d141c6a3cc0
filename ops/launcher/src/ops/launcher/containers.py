"""What the commands have in common that containers alone run."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

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
