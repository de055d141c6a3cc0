"""Query parameters of lists: filters, search, order, and pages or columns."""

from collections.abc import Collection
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import Field, ValidationInfo, create_model, field_validator

from ops.base.encryption.searches import SEARCH_PARAMETER
from ops.base.records.entities import EntityType
from ops.base.records.masks import is_personal
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
from query_api.paging.view import DEFAULT_SIZE, MAX_PAGE, MAX_SIZE, ListView
from read_model.tables import EntityTable
from read_model.tables.search_terms import sortable_fields

_Q_IN: Any = Annotated[Literal["list"] | None, one_of("list")]

only_for_pages = not_together_with("as_of", "whole_up_to")
"""Validator of parameters that are allowed for current pages only."""


class ListFilters(QueryParameters):
    """Filters of a list."""

    filtered: ClassVar[tuple[str, ...]] = ()
    """Names of the filters by value or days."""

    q: Annotated[str | None, PLAIN_TEXT] = None
    q_in: Any = None

    @property
    def filtered_view(self) -> ListView:
        """The view of the filtered rows."""
        given = {name: sorted(getattr(self, name)) for name in self.filtered}
        return ListView(
            q=self.q or "",
            q_in_list=self.q_in == "list",
            filters=tuple((name, tuple(texts)) for name, texts in given.items() if texts),
        )

    def personal_filters(self, entity: EntityType) -> tuple[str, ...]:
        """Return the personal fields that the filters search.

        The number of rows found reveals something about their values, even if no row is shown.
        """
        names = [name for name in self.filtered if getattr(self, name)]
        if self.q is not None:
            names += [name.partition(".")[0] for name in entity.searched]
        return tuple(dict.fromkeys(name for name in names if is_personal(entity, name)))


_Parameters = TypeVar("_Parameters", bound=ListFilters)


def with_filters(table: EntityTable, base: type[_Parameters], **more: Any) -> type[_Parameters]:
    """Return a subclass of a model with the filters of one table's list, and further fields."""
    q = Field(
        None,
        description="Only rows that contain this text, ignoring case and accents, in one of "
        f"{_named(table.entity.searched)}. There are no wildcards. Phone numbers are found in any spelling:"
        f" `98765 43210` finds `+91-9876543210`.{_only_of(table.entity.searched, table)}",
        examples=["ud"],
    )
    q_in = Field(
        None,
        description=f"`list`: search only {_named(table.entity.searched_in_list)}, as the list screen does",
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
    validator = field_validator(*filters, mode="before")(only_for_pages) if filters else None
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
    kinds = table.entity.filtered.items()
    personal = [name for name, kind in kinds if kind == "value" and is_personal(table.entity, name)]
    made.sensitive = (SEARCH_PARAMETER, *personal)
    return made


def order_of(table: EntityTable) -> Any:
    """Return the field definition of `sort` for a table."""
    text_field = table.entity.searched[1]
    field = Field(
        None,
        description="Field and direction. Numbers are sorted by value; texts by code points, ignoring case"
        " and accents, with runs of digits by value. Rows without a value come last in both directions;"
        " equal rows are ordered by id, so pages never"
        f" overlap.{_only_of(sortable_fields(table.entity), table)}",
        examples=[f"{text_field},asc", f"{text_field},desc"],
    )
    orders = {
        f"{name},{way}": (name, way) for name in sortable_fields(table.entity) for way in ("asc", "desc")
    }

    def read(text: str) -> tuple[str, str]:
        if text not in orders:
            raise BadParameter("Must be a sortable field, then ,asc or ,desc")
        return orders[text]

    return Annotated[tuple[str, str] | None, parameter(read, Literal[tuple(orders)])], field


def ordered(sort: tuple[str, str] | None) -> dict[str, Any]:
    """Return the members of a `ListView` for an order."""
    return {} if sort is None else {"sort": sort[0], "descending": sort[1] == "desc"}


def _named(names: Collection[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _only_of(names: Collection[str], table: EntityTable) -> str:
    """Return a sentence about the fields that need `personal:read`, if any do."""
    harmless = [name for name in names if not is_personal(table.entity, name)]
    if len(harmless) == len(names):
        return ""
    if not harmless:
        return " Not without `personal:read`."
    return f" Without `personal:read` only {_named(harmless)}."


def _texts(texts: list[str]) -> tuple[str, ...]:
    return tuple(map(plain_text, texts))


class ListParameters(ListFilters):
    """Query parameters of a list."""

    decisive: ClassVar = "as_of"

    page: Annotated[int | None, whole_number(0, MAX_PAGE)] = Field(
        None, description="Number of the page, from 0", examples=[0, 2]
    )
    size: Annotated[int | None, whole_number(1, MAX_SIZE)] = Field(
        None, description="Maximum number of rows of a page", examples=[DEFAULT_SIZE, MAX_SIZE]
    )
    sort: Any = None
    as_of: AsOf = None
    whole_up_to: Annotated[int | None, whole_number(0, MAX_PAGE)] = Field(
        None,
        description="All rows, unless there are more than this number: then none, and their number in `page`",
        examples=[5000],
    )

    _not_as_of = field_validator("whole_up_to", mode="before")(not_together_with("as_of"))
    _only_for_pages = field_validator("page", "size", "sort", "q", "q_in", mode="before")(only_for_pages)

    @property
    def view(self) -> ListView | None:
        """The wanted page, or None for all rows."""
        if not self.model_fields_set - {"as_of", "whole_up_to"}:
            return None
        given: dict[str, Any] = {
            name: getattr(self, name) for name in self.model_fields_set & {"page", "size"}
        }
        return replace(self.filtered_view, **given, **ordered(self.sort))


class ChoicesParameters(ListFilters):
    """Query parameters of a field's values."""

    field: Any


def parameters_of_choices(table: EntityTable) -> type[ChoicesParameters]:
    """Return the model of a table's `choices` parameters."""
    names = tuple(name for name, kind in table.entity.filtered.items() if kind == "value")
    field = Field(
        description="The field whose values are listed; a filter on it is ignored", examples=[names[:1]]
    )
    return with_filters(table, ChoicesParameters, field=(Annotated[str, one_of(*names)], field))


class ExportParameters(ListFilters):
    """Query parameters of a list's export."""

    sort: Any = None
    columns: Any
    headers: Annotated[tuple[str, ...], parameter(_texts, list[str])] = Field(
        (),
        description="Column titles, one for each column; by default the names in `columns`",
        examples=[["Name"]],
    )

    @field_validator("headers", mode="after")
    @classmethod
    def _match_columns(cls, headers: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if headers and len(headers) != len(info.data.get("columns", headers)):
            raise BadParameter("Must be given once for each column")
        return headers

    @property
    def view(self) -> ListView:
        """The view of all rows."""
        return replace(self.filtered_view, **ordered(self.sort))


def parameters_of_export(table: EntityTable) -> type[ExportParameters]:
    """Return the model of a table's export parameters."""
    known = columns_of(table.entity)

    def read(texts: list[str]) -> tuple[str, ...]:
        names = tuple(name for text in texts for name in text.split(","))
        if len(names) > len(known) or not set(names) <= set(known):
            raise BadParameter("Must be columns of the list, separated by commas")
        return names

    columns = Field(
        description="Fields of the list's items, or members of objects in them; also separated by commas",
        examples=[["id"]],
    )
    name: Any = Literal[known]
    described = parameter(read, Annotated[list[name], Field(min_length=1, max_length=len(known))])
    return with_filters(
        table,
        ExportParameters,
        sort=order_of(table),
        columns=(Annotated[tuple[str, ...], described], columns),
    )


def parameters_of_list(
    table: EntityTable, base: type[ListParameters] = ListParameters
) -> type[ListParameters]:
    """Return the model of a table's list parameters, which extends a base."""
    return with_filters(table, base, sort=order_of(table))
