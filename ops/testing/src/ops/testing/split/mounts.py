"""Where the folders of a container are on this machine."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ops.testing.split.compose import Compose, Service

_SECRETS: Final = "/run/secrets"


def mounts(compose: Compose, service: Service, container: str, folder: Path) -> dict[str, Path]:
    """Make a container's volumes and temporary folders, and return where they and its secrets are.

    Args:
        compose: the file.
        service: the container's.
        container: its name.
        folder: below which everything lies; volumes are shared by name, but those that are folders of this
            machine already.
    """
    found = {f"{_SECRETS}/{name}": Path(compose.secrets[name].file) for name in service.secrets}
    places = {}
    for volume in service.volumes:
        name, _, place = volume.partition(":")
        places[place.removesuffix(":ro")] = folder / "volumes" / name
    for temporary in service.tmpfs:
        place = temporary.partition(":")[0]
        places[place] = folder / "tmpfs" / container / place.strip("/")
    for path in places.values():
        path.mkdir(parents=True, exist_ok=True)
    return found | places


def relocated(value: str, mounts: Mapping[str, Path]) -> str:
    """A variable that names a place within a container, as it must be on this machine."""
    for place, folder in mounts.items():
        if value == place or value.startswith(f"{place}/"):
            return str(folder) + value.removeprefix(place)
    return value
