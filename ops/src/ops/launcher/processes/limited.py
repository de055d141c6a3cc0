"""Children that may have only so many files and connections open."""


def with_descriptors(command: list[str], most: int | None) -> list[str]:
    """The command line that runs `command` with that limit.

    Args:
        command: its own.
        most: the limit, which the system must allow; None: the parent's.
    """
    if most is None:
        return command
    return ["/bin/sh", "-c", 'ulimit -S -n "$0" && exec "$@"', str(most), *command]
