"""The launcher's expected failure."""


class LauncherError(Exception):
    """A failure that the user can understand and fix; shown as one line without a traceback.

    Every function of the launcher and of `ops.development` may raise it, and `cli.main` prints it. Docstrings
    mention it only if they say more than its message.
    """
