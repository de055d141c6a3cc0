"""What is looked for in changes once they are opened, for it cannot be looked for in the log."""

from ops.base.encryption.ring import KEYS
from ops.base.records.masks import MASKED, is_personal
from projections.tables.search_terms import folded
from query_api.audit.parameters import Filter
from query_api.history.changes import Change
from query_api.masking.masking import known_entity


def looks_into_boxes(wanted: Filter, *, masked: bool) -> bool:
    """Tell whether it must be looked at what is sealed before anybody knows what a filter lets through."""
    return KEYS.seals and not masked and wanted.q is not None


def must_be_opened(wanted: Filter, *, masked: bool) -> bool:
    """Tell whether `lets_through` may refuse what the statement lets through."""
    return not masked and (wanted.q is not None or wanted.names_personal_field)


def lets_through(wanted: Filter, change: Change, *, masked: bool) -> bool:
    """Tell whether what is sealed or withheld fits as well; see `changes_statement`."""
    if masked:
        return True
    # Of what is restricted nobody is led to what is personal in it.
    if (
        wanted.field is not None
        and change.withheld == MASKED
        and is_personal(known_entity(change.entity), wanted.field)
    ):
        return False
    if wanted.q is None:
        return True
    is_named_there = change.type == f"{change.entity}.registered"  # among the values that it set
    record_name = None if is_named_there else change.record_name
    people = (change.actor_sub, change.actor_name)
    texts = (
        change.entity_id,
        record_name,
        *people,
        change.request_id,
        change.client_request_id,
        change.reason,
    )
    looked_at = "\n".join([*filter(None, texts), change.changes.decode()])
    return folded(wanted.q) in folded(looked_at)
