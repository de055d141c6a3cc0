"""JSON has the text that the standard library writes."""

import json
from typing import Any

from hypothesis import example, given

from ops.base.records.json_values import json_bytes
from ops.testing.json_values import json_values


@given(json_values)
@example(-1e-7)
@example([1, 2.5e-9])
@example({"id": "0b9e-7f3e-1", "share": 1e-7})
@example({"share": 0.00001})
def test_json_is_that_of_the_standard_library(value: Any) -> None:
    assert json_bytes(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
