"""The launcher's one kind of expected failure."""


class LauncherError(Exception):
    """Something the user can understand and mend; its text is shown as one line, without a traceback."""
