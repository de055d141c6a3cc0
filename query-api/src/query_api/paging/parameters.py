"""Query parameters of lists: filters, search, order, and pages or columns."""

from collections.abc import Collection
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import Field, PlainValidator, ValidationInfo, create_model, field_validator

from ops.base.encryption.searches import SEARCH_PARAMETER
from ops.base.records.entities import EntityType
from ops.base.records.masks import is_personal
from projections.tables import EntityTable
from projections.tables.search_terms import sortable_fields
from query_api.history.parameters import AsOf
from query_api.http.parameters import (
    PLAIN_TEXT,
    BadParameter,
    QueryParameters,
    not_together_with,
    one_of,
    parameter,
    plain_text,
    whole_number,
)
from query_api.paging.csv_lines import columns_of
from query_api.paging.filters import DESCRIPTIONS, EXAMPLES, READERS
from query_api.paging.view import DEFAULT_SIZE, MAX_PAGE, MAX_SIZE, View

_Q_IN: Any = Annotated[Literal["list"] | None, one_of("list")]

of_a_page = not_together_with("as_of", "whole_up_to")
"""Only of a page: not of a past, nor of a list that is whole."""


class Narrowing(QueryParameters):
    """What narrows a list."""

    filtered: ClassVar[tuple[str, ...]] = ()
    """The names of those that narrow it to values or days."""

    q: Annotated[str | None, PLAIN_TEXT] = None
    q_in: Any = None

    @property
    def narrowed(self) -> View:
        """The view of what is left."""
        asked = {name: sorted(getattr(self, name)) for name in self.filtered}
        return View(
            q=self.q or "",
            q_in_list=self.q_in == "list",
            filters=tuple((name, tuple(texts)) for name, texts in asked.items() if texts),
        )

    def probed(self, entity: EntityType) -> tuple[str, ...]:
        """Return the personal fields whose values decide which rows are found.

        The number of rows found reveals something about these values, even if no row is shown.
        """
        names = [name for name in self.filtered if getattr(self, name)]
        if self.q is not None:
            names += [name.partition(".")[0] for name in entity.searched]
        return tuple(dict.fromkeys(name for name in names if is_personal(entity, name)))


_Parameters = TypeVar("_Parameters", bound=Narrowing)


def narrowing(table: EntityTable, base: type[_Parameters], **more: Any) -> type[_Parameters]:
    """Return parameters of which some narrow one table's list.

    Args:
        table: which.
        base: what they have besides.
        more: and what that depends on the table for.
    """
    q = Field(
        None,
        description="Only rows that contain this, without regard to case and accents, in one of "
        f"{_named(table.entity.searched)}. No character stands for others. A number is found however it is"
        f" written: `98765 43210` finds `+91-9876543210`.{_only_of(table.entity.searched, table)}",
        examples=["ud"],
    )
    q_in = Field(
        None,
        description=f"`list`: `q` is looked for only in {_named(table.entity.searched_in_list)}, as the list"
        " does that staff see",
        examples=["list"],
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
    validator = field_validator(*filters, mode="before")(of_a_page) if filters else None
    made: type[_Parameters] = create_model(
        base.__name__,
        __base__=base,
        __validators__={"_are_of_now": validator} if validator else {},
        q=(Annotated[str | None, PLAIN_TEXT], q),
        q_in=(_Q_IN, q_in),
        **more,
        **filters,
    )
    made.filtered = tuple(filters)
    made.looks_for = (SEARCH_PARAMETER, *_personal_values(table))
    return made


def _personal_values(table: EntityTable) -> list[str]:
    """Return the names of those whose values may be anybody's name."""
    kinds = table.entity.filtered.items()
    return [name for name, kind in kinds if kind == "value" and is_personal(table.entity, name)]


def order_of(table: EntityTable) -> Any:
    """Return the parameter that says in which order a table's rows are."""
    text_field = table.entity.searched[1]
    field = Field(
        None,
        description="Field and direction. Numbers are sorted by value, texts without regard to case and"
        " accents, by their characters' code points, and runs of digits in them by value. Rows without a"
        " value come last in both directions; equal ones are ordered by id, so pages never"
        f" overlap.{_only_of(sortable_fields(table.entity), table)}",
        examples=[f"{text_field},asc", f"{text_field},desc"],
    )
    return Annotated[tuple[str, str] | None, _order_of(table)], field


def ordered(sort: tuple[str, str] | None) -> dict[str, Any]:
    """Return what a view says of its order."""
    return {} if sort is None else {"sort": sort[0], "descending": sort[1] == "desc"}


def _named(names: Collection[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _only_of(names: Collection[str], table: EntityTable) -> str:
    """Say which of some fields are for everybody."""
    harmless = [name for name in names if not is_personal(table.entity, name)]
    if len(harmless) == len(names):
        return ""
    if not harmless:
        return " Not without `personal:read`."
    return f" Without `personal:read` only {_named(harmless)}."


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


def _texts(texts: list[str]) -> tuple[str, ...]:
    return tuple(map(plain_text, texts))


class ListParameters(Narrowing):
    """The parameters of all lists."""

    decisive: ClassVar = "as_of"

    page: Annotated[int | None, whole_number(0, MAX_PAGE)] = Field(
        None, description="Which page, counted from 0", examples=[0, 2]
    )
    size: Annotated[int | None, whole_number(1, MAX_SIZE)] = Field(
        None, description="Rows a page has at most", examples=[DEFAULT_SIZE, MAX_SIZE]
    )
    sort: Any = None
    as_of: AsOf = None
    whole_up_to: Annotated[int | None, whole_number(0, MAX_PAGE)] = Field(
        None,
        description="The whole list where it has no more rows than this, else none of them, and in `page` how"
        " many there are",
        examples=[5000],
    )

    _is_whole = field_validator("whole_up_to", mode="before")(not_together_with("as_of"))
    _is_of_now = field_validator("page", "size", "sort", "q", "q_in", mode="before")(of_a_page)

    @property
    def view(self) -> View | None:
        """The view, or None where none is asked for: then the whole list is."""
        if not self.model_fields_set - {"as_of", "whole_up_to"}:
            return None
        given: dict[str, Any] = {
            name: getattr(self, name) for name in self.model_fields_set & {"page", "size"}
        }
        return replace(self.narrowed, **given, **ordered(self.sort))


class ChoicesParameters(Narrowing):
    """Of which field the values are asked for, and in which rows."""

    field: Any


def parameters_of_choices(table: EntityTable) -> type[ChoicesParameters]:
    """Return the parameters of the values that one table's list can be narrowed to."""
    names = tuple(name for name, kind in table.entity.filtered.items() if kind == "value")
    field = Field(
        description="Of which field; that it is narrowed by itself does not count", examples=[names[:1]]
    )
    return narrowing(table, ChoicesParameters, field=(Annotated[str, one_of(*names)], field))


class ExportParameters(Narrowing):
    """What a downloaded list shows."""

    sort: Any = None
    columns: Any
    headers: Annotated[tuple[str, ...], parameter(_texts, list[str])] = Field(
        (),
        description="What the columns are called, as many as there are; without them, as in `columns`",
        examples=[["Name"]],
    )

    @field_validator("headers", mode="after")
    @classmethod
    def _are_of_columns(cls, headers: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if headers and len(headers) != len(info.data.get("columns", headers)):
            raise BadParameter("Must be as many as columns")
        return headers

    @property
    def view(self) -> View:
        """The view of all rows."""
        return replace(self.narrowed, **ordered(self.sort))


def parameters_of_export(table: EntityTable) -> type[ExportParameters]:
    """Return the parameters of one table's downloaded list."""
    known = columns_of(table.entity)

    def read(texts: list[str]) -> tuple[str, ...]:
        names = tuple(name for text in texts for name in text.split(","))
        if len(names) > len(known) or not set(names) <= set(known):
            raise BadParameter("Must be fields of the list's items, or of their members, with commas between")
        return names

    columns = Field(
        description="Fields of the list's items, or of their members; also several with commas between them",
        examples=[["id"]],
    )
    name: Any = Literal[known]
    described = parameter(read, Annotated[list[name], Field(min_length=1, max_length=len(known))])
    return narrowing(
        table,
        ExportParameters,
        sort=order_of(table),
        columns=(Annotated[tuple[str, ...], described], columns),
    )


def parameters_of_list(table: EntityTable) -> type[ListParameters]:
    """Return the parameters of one table's list."""
    return narrowing(table, ListParameters, sort=order_of(table))
