"""Bodies of commands with their expected outcome."""

from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from ops.testing.product.fields import ABSENT, FIELDS, MARK, Good


@dataclass(frozen=True)
class Body:
    """A body and its expected outcome."""

    sent: dict[str, Any]
    details: dict[str, Any]
    """The record's members, except id and times, after the body was accepted."""
    errors: dict[str, str | None]
    """Message for each invalid field; None matches any message; empty: the body is valid."""

    def sending(self, **more: Any) -> "Body":
        """Return a copy with further members that do not change the outcome."""
        return replace(self, sent={**self.sent, **more})

    def refused(self, field: str, message: str | None = None) -> "Body":
        """Return a copy with one more invalid field."""
        return replace(self, errors={**self.errors, field: message})

    def identified_as(self, other: "Body") -> "Body":
        """Return a copy with another body's id, valid or invalid, if it has one."""
        body = self.sending(id=other.sent["id"]) if "id" in other.sent else self
        return body.refused("id", other.errors["id"]) if "id" in other.errors else body


def usual_body(entity: str, **changes: Any) -> Body:
    """Return a valid body without an id.

    Args:
        entity: entity type.
        changes: values that replace the usual ones; they must be valid and shown as sent.
    """
    details = {name: field.usual for name, field in FIELDS[entity].items()} | changes
    return Body(details, details, {})


@st.composite
def good_bodies(draw: st.DrawFn, entity: str, before: dict[str, Any] | None = None) -> Body:
    """Valid bodies without an id; most fields keep the details `before`, by default the usual ones."""
    start = usual_body(entity, **(before or {})).details
    values = {name: Good(value, value) for name, value in start.items()}
    for name in draw(st.lists(st.sampled_from(list(values)), max_size=3, unique=True)):
        field = FIELDS[entity][name]
        may_be_left_out = field.left_out is not ABSENT
        left_out = st.just(Good(ABSENT, field.left_out))
        values[name] = draw(left_out | field.good if may_be_left_out else field.good)
    body = Body(
        {name: good.sent for name, good in values.items() if good.sent is not ABSENT},
        {name: good.shown for name, good in values.items()},
        {},
    )
    times_are_the_servers = draw(st.booleans())
    return body.sending(created_at="1999-01-01", updated_at=[MARK]) if times_are_the_servers else body


@st.composite
def bad_bodies(draw: st.DrawFn, entity: str) -> Body:
    """Bodies with one to four invalid fields, without an id."""
    body = draw(good_bodies(entity))
    names = draw(
        st.lists(st.sampled_from([*FIELDS[entity], "nickname"]), min_size=1, max_size=4, unique=True)
    )
    for name in names:
        if name == "nickname":
            body = body.sending(nickname=MARK).refused(name)
            continue
        bad = draw(st.sampled_from(FIELDS[entity][name].bad))
        body = body.sending(**{name: bad.sent}).refused(name + bad.below, bad.message)
    return replace(body, sent={name: value for name, value in body.sent.items() if value is not ABSENT})
