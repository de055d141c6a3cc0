"""`projections schemas`: what differs between derived and released schemas, and releasing it."""

from command_api.domain.schemas import entity_descriptions
from ops.base.records.entities import RELEASED as RELEASED_ENTITIES
from projections.public_events.schemas import RELEASED, released_schemas
from projections.public_schemas.derivation import derived_schemas
from projections.public_schemas.releasing import differences, release

_NEXT = (
    "An incompatible change needs a new version beside the old one: see"
    " projections/src/projections/public_schemas/README.md"
)


def schemas(*, releasing: bool) -> int:
    """Tell what differs from the released schemas, and release it if that is asked for.

    Args:
        releasing: whether to release; without it, a difference is a failure.

    Returns:
        The exit code.
    """
    if RELEASED_ENTITIES.read_text(encoding="utf-8") != (described := entity_descriptions()):
        print("The entity types are not described as they are")
        if not releasing:
            print("Not released; `schemas --release` releases it")
            return 1
        RELEASED_ENTITIES.write_text(described, encoding="utf-8")
    released, derived = released_schemas(), derived_schemas()
    found = differences(released, derived)
    for difference in found:
        print(f"{difference.type}: {difference.kind}")
        for reason in difference.reasons:
            print(f"  {reason}")
    if not found:
        print(f"{len(released)} released schemas; nothing differs")
        return 0
    if not releasing:
        print("Not released; `schemas --release` releases what is new or compatible")
        return 1
    if release(RELEASED, derived, found):
        print(f"Nothing was released. {_NEXT}")
        return 1
    print(f"Released: {len(found)}")
    return 0
