"""`projections schemas`: compares derived and released schemas, and releases the differences."""

import json

from command_api.domain.schemas import entity_descriptions
from ops.base.records.entities import RELEASED as RELEASED_ENTITIES
from projections.public_schemas.compatibility import differences
from projections.public_schemas.derivation import derived_schemas
from read_model.public_events.schemas import RELEASED, released_schemas

_NEXT = "An incompatible change needs a new version: see projections/src/projections/public_schemas/README.md"


def schemas(*, releasing: bool) -> int:
    """Print the differences from the released schemas, and release them, or fail if there are any."""
    if RELEASED_ENTITIES.read_text(encoding="utf-8") != (described := entity_descriptions()):
        print("The released descriptions of the entity types are outdated")
        if not releasing:
            print("Not released; `schemas --release` releases the new ones")
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
        print("Not released; `schemas --release` releases new and compatible schemas")
        return 1
    if any(difference.kind == "incompatible" for difference in found):
        print(f"Nothing was released. {_NEXT}")
        return 1
    for difference in found:
        text = json.dumps(derived[difference.type], ensure_ascii=False, indent=2) + "\n"
        (RELEASED / f"{difference.type}.json").write_text(text, encoding="utf-8")
    print(f"Released: {len(found)}")
    return 0
