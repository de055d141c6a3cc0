"""The demonstration fleet: invented, except for its places; loaded through the HTTP API."""

import asyncio
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ops.development.demo.api import Api, open_api
from ops.development.demo.loading import Loader, LoadResult
from ops.development.demo.plan import Size, all_stories, location_stories, places_for

_LINES: Final = 5
"""How many lines stand for the progress bar where there is no terminal."""


def run(address: str, token_of: Callable[[str], str], size: Size = Size()) -> None:  # noqa: B008 - immutable
    """Load the fleet into a running instance, or what is missing of it, and tell what was done.

    Args:
        address: the instance's public address.
        token_of: gives an access token of a demonstration user, by role or subject.
        size: of the fleet.

    Raises:
        LauncherError: the instance is away, or refuses something.
    """
    loader = asyncio.run(_run(address, token_of, size))
    print(summary(loader.tally, address))


async def _run(address: str, token_of: Callable[[str], str], size: Size) -> Loader:
    async with open_api(address, token_of=token_of) as api:
        return await load(api, size)


async def load(api: Api, size: Size) -> Loader:
    """Load a fleet of a size, or what is missing of it, and return what kept count.

    Raises:
        LauncherError: the API is away for too long, or refuses something.
    """
    places = places_for(size)
    loader = Loader(api, await api.head())
    today = await loader.first_day(location_stories(size, places)[0])
    stories = all_stories(size, places, today)
    with progress(sum(len(story.commands) for story in stories)) as on_done:
        await loader.load(stories, on_done)
    return loader


@contextmanager
def progress(total: int) -> Iterator[Callable[[], None]]:
    """Show progress on standard error; gives the function to call after each of `total` steps."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _plain_progress(total)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("Demonstration fleet", total=total)
        yield lambda: bar.advance(task)


def _plain_progress(total: int) -> Callable[[], None]:
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        if done * _LINES // total > (done - 1) * _LINES // total:
            print(f"fleetlog: {done} of {total} changes sent", file=sys.stderr, flush=True)

    return advance


def summary(tally: Mapping[tuple[str, LoadResult], int], address: str) -> str:
    """Tell what was added, what was there, and where to look at it.

    Args:
        tally: how many changes of each kind had which outcome.
        address: of the instance.
    """
    by_outcome: Counter[LoadResult] = Counter()
    for (_, outcome), count in tally.items():
        by_outcome[outcome] += count
    lines = []
    if by_outcome[LoadResult.ADDED]:
        kinds = ", ".join(
            f"{count} {kind}" for (kind, how), count in tally.items() if how is LoadResult.ADDED
        )
        lines.append(f"Added: {kinds}.")
        if there := by_outcome[LoadResult.THERE]:
            lines.append(f"Already there: {there} changes.")
    else:
        lines.append(f"Nothing to add: {by_outcome[LoadResult.THERE]} changes are there already.")
    if left := by_outcome[LoadResult.LEFT_ALONE]:
        lines.append(f"Left alone, for the records are used or were removed by others: {left} changes.")
    lines.append(f"Look at them: {address}/management/drivers")
    return "\n".join(lines)
