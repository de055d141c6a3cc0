"""The demonstration fleet: invented, except for its places; loaded through the HTTP API."""

import asyncio
from collections.abc import Callable
from functools import partial

from ops.launcher.demo.api import Api, open_api
from ops.launcher.demo.loading import Loader
from ops.launcher.demo.plan import Size, all_stories, location_stories, places_for
from ops.launcher.demo.reporting import progress, summary
from ops.launcher.identity_provider.tokens import development_token
from ops.launcher.instance.record import Record


def run(record: Record, size: Size = Size()) -> None:  # noqa: B008 - immutable
    """Load the fleet into a running instance, or what is missing of it, and tell what was done.

    Args:
        record: the instance.
        size: of the fleet.

    Raises:
        LauncherError: the instance is away, or refuses something.
    """
    loader = asyncio.run(_run(record, size))
    print(summary(loader.tally, record.address))


async def _run(record: Record, size: Size) -> Loader:
    async with open_api(record.address, health=health_of(record), token_of=token_maker(record)) as api:
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


def health_of(record: Record) -> str:
    """Return the address of the command API's readiness answer, which is not served to the outside."""
    return f"http://127.0.0.1:{record.parts['command-api'].port}/readyz"


def token_maker(record: Record) -> Callable[[str], str]:
    """Return what makes an access token for a user's subject."""
    return partial(development_token, record)
