"""Comparable forms of values, and how alike two of them are: from 0 to 1, the same in both directions."""

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from itertools import permutations
from typing import Final, NamedTuple

from rapidfuzz.distance import OSA
from rapidfuzz.fuzz import ratio

from ops.base.records.unique_texts import normalised
from read_model.tables.search_terms import folded

SAME_SOUND: Final = 0.97
"""Likeness of texts that differ only in spelling, or by letters that look like digits."""
ONE_OFF: Final = 0.9
"""Likeness of numbers that differ by one character, or by two that are exchanged."""
SERIES: Final = 0.75
"""Likeness of numbers that differ like those of a series: a fleet buys vehicles with consecutive numbers."""
_UNLIKE: Final = 0.5
_NEAR_DOMAIN: Final = 0.8
_MOST_TOKENS: Final = 5
_LONG_SOUND: Final = 3

_WORD: Final = re.compile(r"[^\W_]+")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_DIGITS: Final = re.compile(r"[0-9]+")
_NUMBER: Final = re.compile("[1-9]")
_LAST_NUMBER: Final = re.compile(r"^(.*?)([0-9]{1,9})$")
_RELATION: Final = re.compile(r"\b[sdwc]\s*/\s*o\b")
_HONORIFICS: Final = frozenset({"mr", "mrs", "ms", "shri", "shree", "sri", "smt", "dr", "late"})
_MOHAMMED: Final = re.compile(r"m[ou]h?a?m*[aeiu]?d")
# Spellings of one sound, in this order: transliterations from Indian scripts and Arabic differ in these.
_SOUNDS: Final = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        ("ph", "f"),
        ("ck|q", "k"),
        ("x", "ks"),
        ("[ao]w(?![aeiou])|ou|au", "o"),
        ("w", "v"),
        ("z", "j"),
        ("sh", "s"),
        ("c(?!h)", "k"),
        ("([bdgjkpt])h", r"\1"),
        ("[ae][iy](?![aeiou])", "ai"),
        ("ee|y", "i"),
        ("oo", "u"),
        ("e", "i"),
        ("o", "u"),
        (r"(.)\1+", r"\1"),
        ("(?<=[aiu])h$", ""),
    )
)
_VOWELS: Final = re.compile("(?<=.)[aiu]")
_LOOK_ALIKES: Final = str.maketrans({"o": "0", "q": "0", "i": "1", "l": "1"})
_DOTLESS: Final = frozenset({"gmail.com", "googlemail.com"})
"""Providers that ignore dots in addresses."""
_SILENT_WORDS: Final = frozenset(
    ("road", "rd", "street", "st", "no", "number", "hno", "house", "flat", "plot", "near", "nr", "opp")
)
_FORMER_CITIES: Final[Mapping[str, str]] = {
    "bangalore": "bengaluru",
    "baroda": "vadodara",
    "bombay": "mumbai",
    "calcutta": "kolkata",
    "cochin": "kochi",
    "gurgaon": "gurugram",
    "madras": "chennai",
    "mysore": "mysuru",
    "poona": "pune",
    "trivandrum": "thiruvananthapuram",
}


@lru_cache(maxsize=20_000)
def sound(word: str) -> str:
    """Return how a folded word is spoken, in one spelling."""
    if _MOHAMMED.fullmatch(word):
        return "muhamad"
    if len(word) > len("bhai") + 2:
        word = word.removesuffix("bhai")
    for pattern, replacement in _SOUNDS:
        word = pattern.sub(replacement, word)
    return word


def consonants(spoken: str) -> str:
    """Return a spoken word without vowels, except for a first one."""
    return _VOWELS.sub("", spoken)


class Name(NamedTuple):
    """The words of a name in any order."""

    sounds: tuple[str, ...]
    words: tuple[str, ...]
    joined: str
    """The sounds in the order of writing."""
    keys: tuple[str, ...]
    """The sorted consonants, of all words and of the first and last ones: equal for names whose words are
    exchanged, joined or split, or that lack a middle name."""

    @classmethod
    def parse(cls, text: str) -> "Name | None":
        """Return a name's form; None if it has no letters."""
        found = _LETTERS.findall(_RELATION.sub(" ", folded(text)))
        words = [word for word in found if word not in _HONORIFICS] or found
        sounds = [sound(word) for word in words]
        if not words:
            return None
        parts = (sounds, [sounds[0], sounds[-1]]) if len(sounds) > 2 else (sounds,)
        keys = tuple("".join(sorted("".join(map(consonants, part)))) for part in parts)
        return cls(tuple(sorted(sounds)), tuple(sorted(words)), "".join(sounds), keys)


def alike_names(first: Name, second: Name) -> float:
    """Return the likeness of names by sound, or by letters: a wrong letter may change the sound."""
    if first.words == second.words:
        return 1.0
    if first.sounds == second.sounds:
        return SAME_SOUND
    found = _alike_sets(first.sounds, second.sounds)
    if len(first.sounds) != len(second.sounds):
        found = max(found, OSA.normalized_similarity(first.joined, second.joined) * SAME_SOUND)
    return found if found >= ONE_OFF else max(found, _alike_sets(first.words, second.words))


def _alike_sets(first: tuple[str, ...], second: tuple[str, ...]) -> float:
    """Return the likeness of the least alike words, after the best assignment of words."""
    common = Counter(first) & Counter(second)
    rests = ([*(Counter(one) - common).elements()] for one in (first, second))
    short, long = sorted(rests, key=lambda rest: (len(rest), rest))
    extra = len(long) - len(short)
    found = 1.0 - 0.1 * extra
    if extra and common.total() + len(short) < 2:
        found -= 0.1
    if len(long) > _MOST_TOKENS:
        return 0.0
    if short:
        found *= max(min(map(_alike_words, short, assigned)) for assigned in permutations(long, len(short)))
    return max(0.0, found)


def _alike_words(first: str, second: str) -> float:
    if min(len(first), len(second)) == 1:  # an initial
        return 0.88 if first[0] == second[0] else 0.0
    found = OSA.normalized_similarity(first, second)
    if found < ONE_OFF and len(bones := consonants(first)) >= _LONG_SOUND and bones == consonants(second):
        return ONE_OFF
    return found


def phone(text: str) -> str | None:
    """Return the last ten digits of a phone number."""
    digits = "".join(_DIGITS.findall(folded(text)))
    return digits[-10:] if len(digits) >= 6 and _NUMBER.search(digits) else None


class Mail(NamedTuple):
    """An e-mail address, without what providers ignore."""

    mailbox: str
    domain: str
    digits: str

    @classmethod
    def parse(cls, text: str) -> "Mail | None":
        """Return an address's form; None if it has no @."""
        mailbox, _, domain = folded(text).strip().rpartition("@")
        mailbox = mailbox.partition("+")[0]
        if domain in _DOTLESS:
            mailbox = mailbox.replace(".", "")
        return cls(mailbox, domain, "".join(_DIGITS.findall(mailbox))) if mailbox else None


def alike_mails(first: Mail, second: Mail) -> float:
    """Return the likeness of e-mail addresses; namesakes' addresses often differ by their digits only."""
    if first == second:
        return 1.0
    found = OSA.normalized_similarity(first.mailbox, second.mailbox)
    if first.digits != second.digits:
        return min(found, _UNLIKE)
    if first.domain == second.domain:
        return found
    is_near = OSA.normalized_similarity(first.domain, second.domain) >= _NEAR_DOMAIN
    return found * (0.95 if is_near else 0.7)


class Address(NamedTuple):
    """A first line of an address, with its city."""

    words: str
    numbers: frozenset[str]
    city: str

    @classmethod
    def parse(cls, text: str, city: str = "") -> "Address | None":
        """Return an address's form; None if it is empty."""
        found = _WORD.findall(folded(text))
        words = [word if word.isdecimal() else sound(word) for word in found if word not in _SILENT_WORDS]
        town = "".join(_WORD.findall(folded(city)))
        numbers = frozenset(digits for word in found for digits in _DIGITS.findall(word))
        return cls(" ".join(sorted(words)), numbers, sound(_FORMER_CITIES.get(town, town))) if words else None

    @property
    def key(self) -> str:
        """A number or else the longest word, and the city."""
        return min(self.numbers, default=None) or max(self.words.split(" "), key=len)


def alike_addresses(first: Address, second: Address) -> float:
    """Return the likeness of addresses, whose house numbers and cities must agree."""
    found = 1.0 if first.words == second.words else float(ratio(first.words, second.words)) / 100
    if first.city and second.city and OSA.normalized_similarity(first.city, second.city) < 0.7:
        found *= _UNLIKE
    if first.numbers and second.numbers and not first.numbers & second.numbers:
        found = min(found, _UNLIKE)
    return found


class Code(NamedTuple):
    """A number of a document, a vehicle or an account."""

    exact: str
    """As unique values are compared."""
    clear: str
    """Without letters that look like digits."""

    @classmethod
    def parse(cls, text: str) -> "Code | None":
        """Return a number's form; None for texts that stand for a missing one, such as `N/A`."""
        exact = normalised(text)
        return cls(exact, exact.translate(_LOOK_ALIKES)) if _NUMBER.search(exact) else None


def alike_codes(first: Code, second: Code) -> float:
    """Return 1 for equal numbers; less if letters look like digits, or one character is off."""
    if first.exact == second.exact:
        return 1.0
    return SAME_SOUND if first.clear == second.clear else alike_digits(first.clear, second.clear)


def alike_vehicle_codes(first: Code, second: Code) -> float:
    """Return the likeness of numbers, less for those of a series."""
    found = alike_codes(first, second)
    one, other = _LAST_NUMBER.match(first.exact), _LAST_NUMBER.match(second.exact)
    if found == ONE_OFF and one and other and one[1] == other[1] and abs(int(one[2]) - int(other[2])) <= 2:
        return SERIES
    return found


def alike_labels(first: Code | str, second: Code | str) -> float:
    """Return the likeness of what staff call a vehicle; its numbers must agree."""
    first, second = str(first), str(second)
    if first == second:
        return 1.0
    found = OSA.normalized_similarity(first, second)
    return found if _DIGITS.findall(first) == _DIGITS.findall(second) else min(found, _UNLIKE)


def label(text: str) -> str | None:
    """Return the letters and digits of a text; None if it has none."""
    return normalised(text) or None


def alike_values(first: str, second: str) -> float:
    """Return whether two values are equal, as a likeness."""
    return float(first == second)


def alike_digits(first: str, second: str) -> float:
    """Return 1 for equal texts, `ONE_OFF` if one character is off, else at most a half."""
    if first == second:
        return 1.0
    if OSA.distance(first, second, score_cutoff=1) <= 1:
        return ONE_OFF
    return min(OSA.normalized_similarity(first, second), _UNLIKE)
