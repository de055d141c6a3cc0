"""The launcher's expected failure."""


class LauncherError(Exception):
    """A failure that the user can understand and fix; shown as one line without a traceback."""
