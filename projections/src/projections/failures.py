"""Why a projection stops. What it cannot apply of one stream does not stop it: see `quarantine`."""


class ProjectionStopped(Exception):
    """Something that a later try, a later release or a person must resolve.

    Its message says where and which kind, never what an event holds: it may be logged and shown.
    """


class LogGap(ProjectionStopped):
    """The log has later positions but not this one: reading on would skip it, should it still arrive."""

    def __init__(self, position: int) -> None:
        super().__init__(f"position {position} is missing from the log")


class BeyondHead(ProjectionStopped):
    """The table was filled from a longer log than this one, which must have been restored: rebuild it."""

    def __init__(self, position: int, head: int) -> None:
        super().__init__(f"position {position} is beyond the log's head, {head}: rebuild the projection")


class LogStopped(ProjectionStopped):
    """The log was restored, or must have been: nothing goes on until an operator decides."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"{reason}. Nothing goes on until an operator accepts the log: restore accept")


class NewerVersion(ProjectionStopped):
    """A later release fills the table."""

    def __init__(self, filled_by: int, known: int) -> None:
        super().__init__(f"version {filled_by} fills the table, and this release knows version {known}")


class OlderVersion(ProjectionStopped):
    """An earlier release filled the table."""

    def __init__(self, filled_by: int, known: int) -> None:
        super().__init__(
            f"version {filled_by} filled the table, and this release needs version {known}: rebuild it"
        )


class WithoutKeys(ProjectionStopped):
    """What is sealed would be missing in the new table, for good, although keys may only be elsewhere."""

    def __init__(self) -> None:
        super().__init__(
            "the log is sealed, and no key store is configured: nothing is filled anew without it"
        )
