"""Canaries: texts that occur in personal data alone."""

import itertools
import json
import re
import secrets
from typing import Any

import httpx

from ops.base.records.entities import EntityType
from ops.testing.product.bodies import usual_body


class Canaries:
    """A generator of canaries.

    Attributes:
        all: the generated canaries, as they appear in JSON.
        mark: part of every canary of this generator except dates.
    """

    def __init__(self) -> None:
        self.all: list[str] = []
        self.mark = secrets.token_hex(4)
        self._numbers = itertools.count(10)
        self._years = itertools.count(2700)

    def text(self) -> str:
        return self._made(f"canary{next(self._numbers)}x{self.mark}")

    def like(self, value: Any) -> Any:
        """Return a canary of the same kind as a value."""
        match value:
            case dict():
                return {self.text(): [self.text()], "currentLocation": self.text()}
            case str() if "@" in value:
                return f"{self.text()}@example.com"
            case str() if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
                return self._made(f"{next(self._years)}-07-19")
        return self.text()

    def details(self, entity: EntityType) -> dict[str, Any]:
        """Return details whose personal fields are canaries."""
        usual = usual_body(entity.name).details
        return {name: self.like(value) if name in entity.personal else value for name, value in usual.items()}

    def in_(self, text: str) -> list[str]:
        """Return the canaries in a text, ignoring case."""
        lower = text.lower()
        return [canary for canary in self.all if canary in lower]

    def _made(self, text: str) -> str:
        self.all.append(text)
        return text


def everything_in(answer: httpx.Response) -> str:
    """Return body and headers of an answer as text."""
    unescaped = answer.text
    if "json" in answer.headers.get("content-type", "") and "\n" not in unescaped.strip() and unescaped:
        unescaped += json.dumps(answer.json(), ensure_ascii=False)
    return "\n".join([unescaped, *(f"{name}: {value}" for name, value in answer.headers.items())])
