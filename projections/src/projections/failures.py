"""Reasons for which a projection stops. An event that cannot be applied is quarantined instead."""


class ProjectionStopped(Exception):
    """A condition that a later attempt, another release or an operator must resolve.

    The message names places and kinds, never the content of an event: it may be logged and shown.
    """


class LogGap(ProjectionStopped):
    """The log lacks a position but has later ones; reading on would skip the missing event."""

    def __init__(self, position: int) -> None:
        super().__init__(f"position {position} is missing from the log")


class BeyondHead(ProjectionStopped):
    """The table was filled from a longer log; this log was restored, and the table must be rebuilt."""

    def __init__(self, position: int, head: int) -> None:
        super().__init__(f"position {position} is beyond the log's head, {head}: rebuild the projection")


class LogStopped(ProjectionStopped):
    """The log was probably restored; nothing continues until an operator decides."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"{reason}. Nothing continues until an operator accepts the log: restore accept")


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


class KeysNotConfigured(ProjectionStopped):
    """The log is encrypted; a table filled without the keys would lack its personal data for ever."""

    def __init__(self) -> None:
        super().__init__("the log is encrypted: configure its key store before you rebuild a table")
