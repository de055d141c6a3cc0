"""The demonstration fleet: invented, except for its places; loaded through the HTTP API."""

import asyncio
from collections.abc import Callable

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ops.development.demo.assignments import assignment_stories
from ops.development.demo.fleet import Size, all_stories, first_story
from ops.development.demo.loading import Loader, open_loader
from ops.development.demo.stories import Story


def run(address: str, token_of: Callable[[str], str], size: Size = Size()) -> None:  # noqa: B008 - immutable
    """Load the fleet, or the missing part of it, into a running instance and print a summary.

    Args:
        token_of: returns an access token of a demonstration user, by role or subject.
    """

    async def loaded() -> Loader:
        async with open_loader(address, token_of=token_of) as loader:
            await load(loader, size)
            return loader

    loader = asyncio.run(loaded())
    print(f"Loaded: {', '.join(f'{count} {kind}' for kind, count in loader.loaded.items()) or 'nothing'}.")
    if left := loader.left_alone:
        print(f"Left alone, because other users have, changed or removed the records: {left} changes.")
    print(f"Look at them: {address}/management/drivers")


async def load(loader: Loader, size: Size) -> list[Story]:
    """Load a fleet of a size, or the missing part of it, show progress on standard error, and return it."""
    today = await loader.first_day(first_story(size))
    stories = all_stories(size, today)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("Demonstration fleet", total=sum(len(story.commands) for story in stories))
        await loader.load(stories, lambda: bar.advance(task))
        trips = assignment_stories(loader.remaining(stories), today, size.teams)
        bar.update(task, total=sum(len(story.commands) for story in (*stories, *trips)))
        await loader.load(trips, lambda: bar.advance(task))
    return [*stories, *trips]
