"""What is asked of a list: which view of it, or what it was."""

from collections.abc import Collection
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, PlainValidator, create_model, field_validator

from ops.base.masks import is_personal
from ops.base.sealing.searches import MEMBER
from projections.tables import EntityTable
from projections.tables.search_terms import sortable_fields
from query_api.history.points import AsOf
from query_api.paging.filters import DESCRIPTIONS, EXAMPLES, READERS
from query_api.paging.view import DEFAULT_SIZE, MAX_PAGE, MAX_SIZE, View
from query_api.parameters import (
    PLAIN_TEXT,
    BadParameter,
    QueryParameters,
    not_together_with,
    parameter,
    whole_number,
)

_of_a_page = not_together_with("as_of", "whole_up_to")


class ListParameters(QueryParameters):
    """The parameters of all lists."""

    decisive: ClassVar = "as_of"
    filtered: ClassVar[tuple[str, ...]] = ()
    """The names of those that narrow the list to values or days."""

    page: Annotated[int | None, whole_number(0, MAX_PAGE)] = Field(
        None, description="Which page, counted from 0", examples=[0, 2]
    )
    size: Annotated[int | None, whole_number(1, MAX_SIZE)] = Field(
        None, description="Rows a page has at most", examples=[DEFAULT_SIZE, MAX_SIZE]
    )
    sort: Any = None
    q: Annotated[str | None, PLAIN_TEXT] = None
    as_of: AsOf = None
    whole_up_to: Annotated[int | None, whole_number(0, MAX_PAGE)] = Field(
        None,
        description="The whole list where it has no more rows than this, else none of them, and in `page` how"
        " many there are",
        examples=[5000],
    )

    _is_whole = field_validator("whole_up_to", mode="before")(not_together_with("as_of"))
    _is_of_now = field_validator("page", "size", "sort", "q", mode="before")(_of_a_page)

    @property
    def view(self) -> View | None:
        """The view, or None where none is asked for: then the whole list is."""
        if not self.model_fields_set - {"as_of", "whole_up_to"}:
            return None
        names = self.model_fields_set & {"page", "size", "q"}
        given: dict[str, Any] = {name: getattr(self, name) for name in names}
        if self.sort is not None:
            field, direction = self.sort
            given |= {"sort": field, "descending": direction == "desc"}
        asked = {name: sorted(getattr(self, name) - {""}) for name in self.filtered}
        return View(**given, filters=tuple((name, tuple(texts)) for name, texts in asked.items() if texts))


def parameters_of_list(table: EntityTable) -> type[ListParameters]:
    """Return the parameters of one table's list."""
    text_field = table.entity.searched[1]
    searched = ", ".join(f"`{name}`" for name in table.entity.searched)

    class Parameters(ListParameters):
        sort: Annotated[tuple[str, str] | None, _order_of(table)] = Field(
            None,
            description="Field and direction. Numbers are sorted by value, dates and times by date, `id` as"
            " in the whole list, other texts by their characters' code points without regard to case. Rows"
            " without a value come last in both directions; equal ones are ordered by id, so pages never"
            f" overlap.{_only_of(sortable_fields(table.entity), table)}",
            examples=[f"{text_field},asc", f"{text_field},desc"],
        )
        q: Annotated[str | None, PLAIN_TEXT] = Field(
            None,
            description="Only rows that contain this, without regard to case, in one of "
            f"{searched}. No character stands for others.{_only_of(table.entity.searched, table)}",
            examples=["ud"],
        )

    filters: dict[str, Any] = {
        name: (
            Annotated[frozenset[str], READERS[kind]],
            Field(
                default_factory=frozenset,
                description=DESCRIPTIONS[kind] + _only_of([name], table),
                examples=[[EXAMPLES.get(kind, table.entity.example[name])]],
            ),
        )
        for name, kind in table.entity.filtered.items()
    }
    validator = field_validator(*filters, mode="before")(_of_a_page) if filters else None
    made = create_model(
        "Parameters",
        __base__=Parameters,
        __validators__={"_are_of_now": validator} if validator else {},
        **filters,
    )
    made.filtered = tuple(filters)
    named = [name for name in filters if table.entity.filtered[name] == "value"]
    made.looks_for = (MEMBER, *(name for name in named if is_personal(table.entity, name)))
    return made


def _only_of(names: Collection[str], table: EntityTable) -> str:
    """Say which of some fields are for everybody."""
    harmless = [name for name in names if not is_personal(table.entity, name)]
    if len(harmless) == len(names):
        return ""
    if not harmless:
        return " Not without `personal:read`."
    return f" Without `personal:read` only {', '.join(f'`{name}`' for name in harmless)}."


def _order_of(table: EntityTable) -> PlainValidator:
    orders = {
        f"{name},{way}": (name, way) for name in sortable_fields(table.entity) for way in ("asc", "desc")
    }

    def read(text: str) -> tuple[str, str]:
        if text not in orders:
            raise BadParameter(
                "Must be a field of the list's items that holds single values, then ,asc or ,desc"
            )
        return orders[text]

    return parameter(read, Literal[tuple(orders)])
