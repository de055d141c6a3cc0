"""Query parameters of lists."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.base.http.problems import Problem
from query_api.paging.parameters import parameters_of_list
from query_api.paging.view import ListView
from read_model.tables import ENTITY_TABLES

TRAILERS, DRIVERS = (
    parameters_of_list(next(table for table in ENTITY_TABLES if table.name == name))
    for name in ("trailers", "drivers")
)


def refused(query: bytes) -> dict[str, str]:
    parameters = DRIVERS if b"passport" in query else TRAILERS
    with pytest.raises(Problem) as refusal:
        assert parameters.read(query).view
    assert refusal.value.status == 422
    return {error.field: error.message for error in refusal.value.validation_errors}


@pytest.mark.parametrize(
    "query", [b"", b"&", b"x=1", b"PAGE=1", b"page[]=1&Size=2", b"%ff=%ff&%00=;", b"\xff\x00"]
)
def test_other_parameters_do_not_ask_for_a_page(query: bytes) -> None:
    assert TRAILERS.read(query).view is None


@pytest.mark.parametrize(
    ("query", "view"),
    [
        (b"page=0", ListView()),
        (b"size=20", ListView()),
        (b"sort=id,asc", ListView(sort="id")),
        (b"q=", ListView()),
        (b"page=2147483647&size=1000", ListView(page=2**31 - 1, size=1000)),
        (b"page=007&size=0000000001", ListView(page=7, size=1)),
        (b"sort=registrationNumber%2Cdesc", ListView(sort="registrationNumber", descending=True)),
        (b"q=a+b%20c%2B", ListView(q="a b c+")),
        (b"q=%C3%A9", ListView(q="é")),
        ("q=é".encode(), ListView(q="é")),
        (b"q=%25_%5C%22%27", ListView(q="%_\\\"'")),
        (b"q=" + b"%E0%A4%A8" * 200, ListView(q="न" * 200)),
        (b"q=1&x=2&x=3&%ff=%ff", ListView(q="1")),
        (b"q=a&q_in=list", ListView(q="a", q_in_list=True)),
        (b"status=", ListView(filters=(("status", ("",)),))),
        (b"status=b&status=a&type=%00", ListView(filters=(("type", ("\0",)), ("status", ("a", "b"))))),
    ],
)
def test_each_parameter_asks_for_a_page(query: bytes, view: ListView) -> None:
    assert TRAILERS.read(query).view == view


@pytest.mark.parametrize(
    "query",
    [
        *(
            f"{name}={value}".encode()
            for name in ("page", "size")
            for value in (
                *("", "-1", "+1", "1.0", "1e2", "0x1", "one", "null", "true", "%20 1", "1,2", "1_0", "NaN"),
                *("2147483648", "9" * 11, "9" * 5000, "%D9%A3", "%EF%BC%91", "%C2%B2", "%001", "%ff", "1%0A"),
            )
        ),
        b"page[=1&page=x",
        b"size=0",
        b"q=a&q_in=all",
        b"size=1001",
        *(
            b"sort=" + value
            for value in (
                *(
                    b"",
                    b"name",
                    b"name,",
                    b",asc",
                    b"asc",
                    b"name,up",
                    b"name,ASC",
                    b"name;asc",
                    b"name,asc,id,asc",
                ),
                *(
                    b"name, asc",
                    b"Name,asc",
                    b"unknown,asc",
                    b"data,asc",
                    b"attributes.city,asc",
                    b"__class__,asc",
                ),
                *(b"name%00,asc", b"name,asc%0A", b"%ff,asc", b"name'--,asc", b'"name",asc', b"1,asc"),
            )
        ),
        b"q=" + b"x" * 201,
        *(b"q=a" + value for value in (b"%00", b"%0a", b"%0D", b"%09", b"%1f", b"%7F", b"%C2%80", b"%c2%9F")),
        *(b"q=" + value for value in (b"%ff", b"\xff", b"%C3", b"%ED%A0%80", b"%C0%80", b"%F5%80%80%80")),
        *(b"=".join((name, b"1")) + b"&" + name + b"=1" for name in (b"page", b"size", b"q")),
        b"sort=id,asc&sort=name,asc",
        b"type=" + b"x" * 501,
        b"type=%ff",
        b"&".join([b"type=a"] * 51),
        *(
            b"passport_expiry_date=" + days
            for days in (b"", b"..", b"!..", b"2026-11-21", b"2026-02-30..", b"..%20", b"0000-00-00..", b"x")
        ),
        b"&".join([b"passport_expiry_date=..2026-11-21"] * 5),
        b"%70age=1&page=1",
    ],
)
def test_bad_value_is_reported_with_its_parameter(query: bytes) -> None:
    name = query.replace(b"%70", b"p").split(b"&")[-1].split(b"=")[0].decode()
    assert list(refused(query)) == [name]


def test_all_errors_are_reported_together() -> None:
    assert refused(b"q=%00&size=0&sort=x&page=-1&page=2") == {
        "page": "May be given only once",
        "size": "Must be a whole number from 1 to 1000",
        "sort": "Must be a sortable field, then ,asc or ,desc",
        "q": "Must not contain control characters",
    }


@pytest.mark.parametrize("query", [b"page=0", b"size=1", b"sort=id,asc", b"q=", b"type=a"])
def test_complete_list_cannot_be_a_page(query: bytes) -> None:
    name = query.partition(b"=")[0].decode()
    assert TRAILERS.read(b"whole_up_to=5").view is None
    assert refused(b"whole_up_to=5&" + query) == {name: "Must not be given together with whole_up_to"}


@given(
    st.binary(max_size=200)
    | st.lists(st.sampled_from([b"page", b"size", b"sort", b"q", b"=", b"&", b"%ff"])).map(b"".join)
)
def test_arbitrary_queries_are_parsed_or_refused(query: bytes) -> None:
    with suppress(Problem):
        assert TRAILERS.read(query).as_of is None
