"""Commands as a script starts them with `&`."""

from collections.abc import Sequence
from typing import Final

_WITHOUT_INTERRUPTS: Final = 'trap "" INT QUIT; exec "$@"'


def in_background(command: Sequence[str]) -> list[str]:
    """Return the command line that runs a command with Ctrl-C ignored, which children inherit.

    It is a shell's way with `&`, and so it may be the whole suite's: a command that promises to be
    interrupted must hear of it all the same.
    """
    return ["/bin/sh", "-c", _WITHOUT_INTERRUPTS, "sh", *command]
