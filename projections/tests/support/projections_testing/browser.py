"""The browser's code for lists (search, sort order, CSV files), run by Node."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from ops.launcher.frontend.node import NODE
from ops.launcher.paths import FRONTEND

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


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Start a Node process, and end it with the context."""
    command = [NODE, "--input-type=module", "--eval", _ANSWERING]
    files = [str(_TABLE / name) for name in ("search.ts", "order.ts", "csvLine.ts")]
    with subprocess.Popen(
        [*command, *files], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        yield Browser(process)
        assert process.stdin
        process.stdin.close()
