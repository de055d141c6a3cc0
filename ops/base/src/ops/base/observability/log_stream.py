"""A text stream for log lines whose writes never raise, even if the file or pipe is broken."""

import io
import os
import sys
from collections.abc import Callable
from typing import TextIO, cast


class LogStream(io.TextIOBase):
    """Writes each text to a file descriptor at once, and counts what cannot be written.

    `sys.stderr` itself would raise on a full disk or a closed pipe, in the midst of whatever is being logged,
    and would keep the text in its buffer.

    Attributes:
        is_losing: whether the last write failed.
        lost: the number of texts that could not be written.
    """

    def __init__(self, descriptor: int, on_lost: Callable[[], object] = lambda: None) -> None:
        """Wrap a file descriptor.

        Args:
            descriptor: where to write; it is not closed.
            on_lost: called for each text that could not be written; it must not raise.
        """
        self.is_losing = False
        self.lost = 0
        self._descriptor = descriptor
        self._on_lost = on_lost
        self._is_torn = False

    def write(self, text: str, /) -> int:
        """Write a text, usually one line; count it as lost if it cannot be written in full."""
        # After a partly written line, a line feed separates the next one.
        unwritten = ("\n" * self._is_torn + text).encode(errors="backslashreplace")
        try:
            while unwritten:
                written = os.write(self._descriptor, unwritten)
                self._is_torn = written < len(unwritten)
                unwritten = unwritten[written:]
        except OSError:
            self._on_lost()
            self.lost += 1
            self.is_losing = True
        else:
            self.is_losing = False
        return len(text)

    def fileno(self) -> int:
        """Return the file descriptor."""
        return self._descriptor

    def isatty(self) -> bool:
        """Return whether it is a terminal."""
        return os.isatty(self._descriptor)


def protect_stderr(on_lost: Callable[[], object] = lambda: None) -> None:
    """Replace `sys.stderr` by a `LogStream` on the same file, or on none where the process has no stderr."""
    # Without a stderr, its descriptor may belong to a socket by now.
    closed = cast("TextIO | None", sys.stderr) is None
    descriptor = os.open(os.devnull, os.O_WRONLY) if closed else sys.stderr.fileno()
    sys.stderr = cast("TextIO", LogStream(descriptor, on_lost))
