"""The demonstration fleet: invented, except for its places; loaded through the HTTP API."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ops.development.demo.fleet import Size, all_stories, first_story
from ops.development.demo.loading import Loader, LoadResult, open_loader


def run(address: str, token_of: Callable[[str], str], size: Size = Size()) -> None:  # noqa: B008 - immutable
    """Load the fleet, or the missing part of it, into a running instance and print a summary.

    Args:
        token_of: returns an access token of a demonstration user, by role or subject.
    """

    async def loaded() -> Loader:
        async with open_loader(address, token_of=token_of) as loader:
            await load(loader, size)
            return loader

    print(summary(asyncio.run(loaded()).tally, address))


async def load(loader: Loader, size: Size) -> None:
    """Load a fleet of a size, or the missing part of it, and show progress on standard error."""
    head = await loader.head()
    stories = all_stories(size, await loader.first_day(first_story(size)))
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("Demonstration fleet", total=sum(len(story.commands) for story in stories))
        await loader.load(stories, head, lambda: bar.advance(task))


def summary(tally: Mapping[tuple[str, LoadResult], int], address: str) -> str:
    """Return a summary of added and existing records, with the address to open.

    Args:
        tally: number of commands by kind and result.
    """
    by_result: Counter[LoadResult] = Counter()
    for (_, result), count in tally.items():
        by_result[result] += count
    lines = []
    if by_result[LoadResult.ADDED]:
        kinds = ", ".join(
            f"{count} {kind}" for (kind, how), count in tally.items() if how is LoadResult.ADDED
        )
        lines.append(f"Added: {kinds}.")
        if there := by_result[LoadResult.THERE]:
            lines.append(f"Already loaded: {there} changes.")
    else:
        lines.append(f"Nothing to add: {by_result[LoadResult.THERE]} changes are loaded already.")
    if left := by_result[LoadResult.LEFT_ALONE]:
        lines.append(f"Left alone, because other users have or removed the records: {left} changes.")
    lines.append(f"Look at them: {address}/management/drivers")
    return "\n".join(lines)
