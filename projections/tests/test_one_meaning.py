"""Search, sort order and CSV files are equal in the browser and on the server."""

import json
import subprocess
from collections.abc import Iterator
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ops.base.records.csv_lines import csv_lines
from ops.base.records.entities import value_at
from ops.launcher.frontend.node import NODE
from ops.launcher.paths import FRONTEND
from read_model.tables import ENTITY_TABLES
from read_model.tables.search_terms import folded, key_of, search_text, sort_keys, sortable_fields, sought_in

DRIVERS: Final = next(table for table in ENTITY_TABLES if table.name == "drivers")
TRAILERS: Final = next(table for table in ENTITY_TABLES if table.name == "trailers")

# What folds to others, or to nothing; what parts texts; digits; halves of what JavaScript sees as two.
_TRICKY: Final = st.sampled_from(
    "aAbBzéÉÅ\u212b\u212aåñÑşŞİIıißẞæÆœŒøØłŁđĐðÐþÞħĦŧŦςσΣ\u0301\u0327\u0345\ufeff각कुक़가й日😀𐐀𐐨\ufffd\uffff\ue000"  # noqa: RUF001
    "00123456789 \u00a0\u202f\u2028()+./-\u2010\u2013%_\\\n\t\x01\x02\x7f\x85"
)
_ANY: Final = st.characters(
    exclude_categories=["Cs", "Cn"]
)  # letters that are newer than Python's tables are not folded
_TEXTS: Final = st.text(_TRICKY, max_size=8) | st.text(_TRICKY | _ANY, max_size=30)
_NUMBERS: Final = st.text(st.sampled_from("0123456789 ()+-"), min_size=1, max_size=12)
_IDS: Final = st.from_regex(r"(EMP|emp|é)-?0{0,2}[0-9]{1,3}", fullmatch=True)
_MANY: Final = st.lists(_TEXTS | _NUMBERS | _IDS, max_size=12)

_TABLE: Final = FRONTEND / "src/shared/table"
_ANSWERING: Final = """
import { createInterface } from "node:readline";
const [search, order, csv] = process.argv.slice(1);
const { createRowSearch, folded } = await import(search);
const { keyOf, sortRows } = await import(order);
const { csvLine } = await import(csv);
const rows = (values) => values.map((value, place) => ({ value, place }));
const places = (rows) => rows.map(({ place }) => place);
const answers = {
  folded: (texts) => texts.map(folded),
  keys: (texts) => texts.map(keyOf),
  sorted: (values, descending) => places(sortRows(rows(values), ({ value }) => value, descending)),
  lines: (records) => records.map(csvLine).join(""),
  found: (records, asked) => places(createRowSearch(({ value }) => value)(rows(records), asked)),
};
for await (const line of createInterface({ input: process.stdin })) {
  const [what, ...given] = JSON.parse(line);
  console.log(JSON.stringify(answers[what](...given)));
}
"""


class Browser:
    """A Node process that answers requests."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, what: str, *given: Any) -> Any:
        """Return the answer of one of the functions of `answers` above."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps([what, *given]) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


same = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The browser's code for lists (search, sort order, CSV files), run by Node."""
    command = [NODE, "--input-type=module", "--eval", _ANSWERING]
    files = [str(_TABLE / name) for name in ("search.ts", "order.ts", "csvLine.ts")]
    with subprocess.Popen(
        [*command, *files], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        yield Browser(process)
        assert process.stdin
        process.stdin.close()


@same
@given(_MANY)
@example(["ΑΣ", "Σας", "İstanbul", "DIŞ"])
@example([f"Ra{chr(hidden)}vi" for hidden in (0xAD, 0x61C, 0x180E, *range(0x2000, 0x2070), 0xFFF9, 0xE007F)])
@example([chr(letter) for letter in range(0x250)])
@example(["a" + "\u05b0\u05bc\u0315" * 400, "é" * 499 + "\u05bc\u05b0" * 30, "𐐀" * 499 + "\u05bc\u05b0"])
def test_browser_folds_case_and_accents_equally(browser: Browser, texts: list[str]) -> None:
    assert browser.ask("folded", texts) == [folded(text) for text in texts]


@same
@given(_MANY)
@example(["0" * 20, "9" * 8, "9" * 9, "9" * 10, "1" * 12345])
def test_browser_computes_equal_and_distinct_sort_keys(browser: Browser, texts: list[str]) -> None:
    keys = [key_of(text) for text in texts]
    assert browser.ask("keys", texts) == keys
    assert len(set(keys)) == len({folded(text) for text in texts})


@same
@given(texts=st.lists(st.none() | _TEXTS | _IDS, max_size=12), descending=st.booleans())
def test_browser_sorts_texts_equally(browser: Browser, *, texts: list[str | None], descending: bool) -> None:
    keys = [key_of(text or "") for text in texts]
    valued = sorted((n for n, key in enumerate(keys) if key), key=lambda n: keys[n], reverse=descending)
    assert browser.ask("sorted", texts, descending) == [
        *valued,
        *(n for n, key in enumerate(keys) if not key),
    ]


@st.composite
def _searches(draw: st.DrawFn) -> tuple[list[list[str]], str]:
    records = draw(st.lists(st.lists(_TEXTS | _NUMBERS, min_size=6, max_size=6), max_size=6))
    asked = draw(_TEXTS | _NUMBERS)
    if draw(st.booleans()) and records:  # otherwise hardly anything is found
        text = draw(st.sampled_from(draw(st.sampled_from(records))))
        asked = text[draw(st.integers(0, len(text))) :].swapcase()
    return records, asked


@same
@given(_searches())
def test_browser_finds_the_same_rows(browser: Browser, search: tuple[list[list[str]], str]) -> None:
    records, asked = search
    wanted = sought_in(asked)
    items = [dict(zip(DRIVERS.entity.searched, record, strict=True)) for record in records]
    texts = [search_text(DRIVERS, item) for item in items]
    assert browser.ask("found", records, asked) == [
        place for place, text in enumerate(texts) if not wanted or any(one in text for one in wanted)
    ]


_CELLS: Final = st.text("=+-@\t\r\n\",' .5eE\uff1d\uff0b\uff0d\uff20\u0663", max_size=6) | _TEXTS | _NUMBERS


@same
@given(st.lists(st.lists(_CELLS, min_size=1, max_size=4), max_size=6))
@example([[""], ["-E5"], ["-1e5"], ["\n=1"]])
def test_browser_writes_equal_csv(browser: Browser, rows: list[list[str]]) -> None:
    assert browser.ask("lines", rows) == csv_lines(rows)


@given(st.lists(st.integers(0, 10**12), min_size=2))
def test_digits_sort_by_value(numbers: list[int]) -> None:
    texts = [f"EMP-{number}" for number in numbers]
    assert sorted(texts, key=key_of) == [f"EMP-{number}" for number in sorted(numbers)]


@given(st.lists(st.dates().map(str)))
def test_dates_sort_chronologically(days: list[str]) -> None:
    assert sorted(days, key=key_of) == sorted(days)


def test_sort_keys_of_a_row_match_its_values() -> None:
    item = TRAILERS.entity.list_item(dict(TRAILERS.entity.example))
    keys = sort_keys(TRAILERS, item).split("\n")
    for (name, kind), key in zip(sortable_fields(TRAILERS.entity).items(), keys, strict=True):
        value = value_at(item, name)
        expected = "" if value is None else str(value) if kind == "number" else key_of(value)
        assert key == expected, name
