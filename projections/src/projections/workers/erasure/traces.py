"""Recognises an erased person in texts that staff have written: saved views and searches."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from psycopg import AsyncConnection, sql

from read_model.tables import ENTITY_TABLES, EntityTable
from read_model.tables.search_terms import folded

_SHORTEST_SEARCH: Final = 3
"""Shorter searches match so many records that they identify no person."""
_SHORTEST_NUMBER: Final = 7
_ENDING: Final = 8
"""Digits by which a phone number is found without its country code."""
_WORD: Final = re.compile(r"[^\W_]+")
_NUMBER: Final = re.compile(r"[0-9][0-9 ()+./-]*[0-9]")
_NOT_A_DIGIT: Final = re.compile("[^0-9]")
# Words consist of letters and digits, so they need no escaping in a regular expression.
_WITH_WORD: Final = sql.SQL(
    """
    NOT EXISTS (
      SELECT FROM {search} WHERE {other}
      AND search_text ~ ('(^|[^[:alnum:]])' || word || '([^[:alnum:]]|$)')
    )
    """
)
_UNSHARED: Final = sql.SQL("SELECT word FROM unnest(%(words)s::text[]) AS known (word) WHERE {}")


@dataclass(frozen=True)
class Traces:
    """What identifies one person. All comparisons ignore case, accents and punctuation.

    Attributes:
        texts: values that no other record has.
        words: words of names that no other record has.
        names: names that no other record has.
        ids: the record's id, and what precedes the @ of e-mail addresses.
    """

    texts: frozenset[str]
    words: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    ids: frozenset[str] = frozenset()

    def match(self, text: str) -> bool:
        """Return whether a text has a value, a name in any order, a word, a number or an id of the person."""
        words = set(words_of(text))
        if self.words & words or any(name <= words for name in self._names):
            return True
        compact = _compact(text)
        if any(value in compact for value in self._compact_texts) or any(
            digits in number or number[-_ENDING:] in digits
            for number in self._numbers
            for digits in _numbers(text)
        ):
            return True
        return any(one.search(folded(text)) for one in self._ids)

    def match_search(self, search: str) -> bool:
        """Return whether a search is for the person; part of a value is enough."""
        part = folded(search).strip()
        is_part = len(part) >= _SHORTEST_SEARCH and any(part in folded(text) for text in self.texts)
        return is_part or self.match(search)

    @cached_property
    def _names(self) -> list[set[str]]:
        return [words for name in self.names if (words := set(words_of(name)))]

    @cached_property
    def _compact_texts(self) -> list[str]:
        return [compact for text in self.texts if (compact := _compact(text))]

    @cached_property
    def _numbers(self) -> list[str]:
        return [
            number for text in self.texts if _NUMBER.fullmatch(text.strip(" +(")) for number in _numbers(text)
        ]

    @cached_property
    def _ids(self) -> list[re.Pattern[str]]:
        return [re.compile(rf"(?<![\w-]){re.escape(folded(one))}(?![\w-])") for one in self.ids]


def words_of(text: str) -> list[str]:
    """Return the words of a text, folded."""
    return _WORD.findall(folded(text))


def words_of_names(names: Iterable[str]) -> frozenset[str]:
    """Return the words of names that are long enough to identify a person; numbers are no words."""
    found = {word for name in names if "@" not in name for word in words_of(name)}
    return frozenset(word for word in found if word.isalpha() and len(word) >= (3 if word.isascii() else 2))


def mailboxes_of(names: Iterable[str]) -> frozenset[str]:
    """Return what precedes the @ of e-mail addresses, where it is long enough."""
    found = (name.partition("@")[0].strip() for name in names if "@" in name)
    return frozenset(mailbox for mailbox in found if len(mailbox) >= _SHORTEST_SEARCH)


async def unique_words(
    connection: AsyncConnection, table: EntityTable | None, entity_id: str, words: Collection[str]
) -> frozenset[str]:
    """Return the words that the search terms of no other record of any type contain.

    Args:
        table: the table of the person's record; None for a user.
    """
    conditions = [
        _WITH_WORD.format(
            search=one.search.identifier, other=sql.SQL("id <> %(id)s" if one is table else "true")
        )
        for one in ENTITY_TABLES
    ]
    statement = _UNSHARED.format(sql.SQL(" AND ").join(conditions))
    parameters = {"words": sorted(words), "id": entity_id}
    return frozenset(word for (word,) in await (await connection.execute(statement, parameters)).fetchall())


def _compact(text: str) -> str:
    return "".join(words_of(text))


def _numbers(text: str) -> Sequence[str]:
    digits = (_NOT_A_DIGIT.sub("", number) for number in _NUMBER.findall(text))
    return [number for number in digits if len(number) >= _SHORTEST_NUMBER]
