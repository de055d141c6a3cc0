"""The states and union territories of India, as far as addresses and number plates need them.

The names belong to the first-order codes of GeoNames (`admin1CodesASCII.txt`), which the places carry;
plates after the Motor Vehicles Act's registration marks, postal codes after India Post's PIN circles.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ops.development.demo.randomness import Draw


@dataclass(frozen=True)
class State:
    """A state of India."""

    name: str
    mark: str
    """The first two letters of number plates and driving licences."""
    offices: int
    """How many of its regional transport offices are drawn from."""
    first_pin: int
    last_pin: int
    """The range of its postal codes' first three digits."""

    def office(self, draw: Draw) -> str:
        """Return the code of a transport office, such as `KA05`."""
        return f"{self.mark}{draw.number(1, self.offices):02}"

    def plate(self, draw: Draw) -> str:
        """Return a number plate that was not drawn before, such as `KA05AB1234`."""
        return draw.unique("plate", lambda: f"{self.office(draw)}{draw.letters(2)}{draw.number(1, 9999):04}")

    def postal_code(self, draw: Draw) -> str:
        """Return a postal code of the state's range; not that of any particular place."""
        return f"{draw.number(self.first_pin, self.last_pin)}{draw.number(1, 120):03}"


STATES: Final[Mapping[str, State]] = {
    "01": State("Andaman and Nicobar Islands", "AN", 1, 744, 744),
    "02": State("Andhra Pradesh", "AP", 39, 515, 535),
    "03": State("Assam", "AS", 28, 781, 788),
    "05": State("Chandigarh", "CH", 4, 160, 160),
    "07": State("Delhi", "DL", 13, 110, 110),
    "09": State("Gujarat", "GJ", 38, 360, 396),
    "10": State("Haryana", "HR", 73, 121, 136),
    "11": State("Himachal Pradesh", "HP", 73, 171, 177),
    "12": State("Jammu and Kashmir", "JK", 22, 180, 193),
    "13": State("Kerala", "KL", 73, 670, 695),
    "14": State("Lakshadweep", "LD", 1, 682, 682),
    "16": State("Maharashtra", "MH", 49, 400, 445),
    "17": State("Manipur", "MN", 7, 795, 795),
    "18": State("Meghalaya", "ML", 10, 793, 794),
    "19": State("Karnataka", "KA", 66, 560, 591),
    "20": State("Nagaland", "NL", 8, 797, 798),
    "21": State("Odisha", "OD", 35, 751, 770),
    "22": State("Puducherry", "PY", 3, 605, 605),
    "23": State("Punjab", "PB", 65, 140, 160),
    "24": State("Rajasthan", "RJ", 53, 301, 345),
    "25": State("Tamil Nadu", "TN", 96, 600, 643),
    "26": State("Tripura", "TR", 8, 799, 799),
    "28": State("West Bengal", "WB", 96, 700, 743),
    "29": State("Sikkim", "SK", 4, 737, 737),
    "30": State("Arunachal Pradesh", "AR", 20, 790, 792),
    "31": State("Mizoram", "MZ", 8, 796, 796),
    "33": State("Goa", "GA", 12, 403, 403),
    "34": State("Bihar", "BR", 57, 800, 855),
    "35": State("Madhya Pradesh", "MP", 70, 450, 488),
    "36": State("Uttar Pradesh", "UP", 96, 201, 285),
    "37": State("Chhattisgarh", "CG", 30, 490, 497),
    "38": State("Jharkhand", "JH", 24, 813, 835),
    "39": State("Uttarakhand", "UK", 20, 244, 263),
    "40": State("Telangana", "TS", 36, 500, 509),
    "41": State("Ladakh", "LA", 2, 194, 194),
    "52": State("Dadra and Nagar Haveli and Daman and Diu", "DD", 3, 396, 396),
}
