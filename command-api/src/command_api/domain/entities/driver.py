"""A driver, identified by the employee number. All details are personal data."""

from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Annotated, Final, Self

from command_api.domain.aggregate import Aggregate
from command_api.domain.definition import Definition, Details
from command_api.domain.events import (
    DetailsChanged,
    Event,
    HoldSet,
    PossibleDuplicateDismissed,
    ReminderAcknowledged,
    Restricted,
    RestrictionLifted,
)
from command_api.domain.marks import Example, Filtered, PersonalData, Searched, Unique
from command_api.domain.rules import Date, Email, Text
from ops.base.records.entities import EntityType


class DriverDetails(Details):
    """A driver, identified by the employee number. All details are personal data."""

    name: Annotated[str, Text("Driver name is required"), PersonalData(), Searched(), Example("Ravi Kumar")]
    address_1: Annotated[
        str, Text("Primary address is required"), PersonalData(), Example("14 Residency Road")
    ]
    address_2: Annotated[str | None, Text(), PersonalData(), Example("Near Mayo Hall")] = None
    city: Annotated[
        str,
        Text("City is required"),
        PersonalData(),
        Searched(in_list=False),
        Filtered(),
        Example("Bengaluru"),
    ]
    country: Annotated[str, Text("Country is required"), PersonalData(), Filtered(), Example("India")]
    mobile_number_1: Annotated[
        str, Text("Primary mobile number is required"), PersonalData(), Searched(), Example("+91 98450 12345")
    ]
    mobile_number_2: Annotated[
        str | None, Text(), PersonalData(), Searched(), Example("+91 80 2558 0000")
    ] = None
    email_address: Annotated[
        str,
        Email("Invalid email address"),
        PersonalData(),
        Searched(in_list=False),
        Example("ravi.kumar@example.com"),
    ]
    father_name: Annotated[str, Text("Father's name is required"), PersonalData(), Example("Mohan Kumar")]
    passport_number: Annotated[
        str, Text("Passport number is required"), PersonalData(), Unique(), Example("M1234567")
    ]
    passport_expiry_date: Annotated[
        str,
        Date("Passport expiry date is required"),
        PersonalData(),
        Filtered("days"),
        Example("2031-03-31"),
    ]
    driving_license_number: Annotated[
        str,
        Text("Driving license number is required"),
        PersonalData(),
        Unique(),
        Example("KA05 20110012345"),
    ]
    driving_license_expiry: Annotated[
        str,
        Date("License expiry date is required"),
        PersonalData(),
        Filtered("days"),
        Example("2029-08-14"),
    ]
    bank_account_number: Annotated[
        str, Text("Bank account number is required"), PersonalData(), Example("00112233445566")
    ]
    bank_name: Annotated[str, Text("Bank name is required"), PersonalData(), Example("Canara Bank")]
    bank_address: Annotated[
        str, Text("Bank address is required"), PersonalData(), Example("MG Road, Bengaluru")
    ]
    ifsc_code: Annotated[str, Text("IFSC code is required"), PersonalData(), Example("CNRB0000404")]
    swift_code: Annotated[str | None, Text(), PersonalData(), Example("CNRBINBBBFD")] = None


_LAST_DAYS: Final = {"licence": "driving_license_expiry", "passport": "passport_expiry_date"}


@dataclass(frozen=True)
class Driver(Aggregate):
    """A driver, with the acknowledged reminders of its documents."""

    acknowledged: frozenset[tuple[str, date | None]] = frozenset()
    """Document and `until` of acknowledgements since the last snapshot whose document has not changed."""

    def after(self, event: Event, moment: datetime) -> Self:
        """Return the driver after the next event of its stream."""
        known = self.acknowledged
        match event:
            case ReminderAcknowledged(document=document):
                known = frozenset({*(one for one in known if one[0] != document), (document, event.until)})
            case DetailsChanged(changes=changes):
                known = frozenset(one for one in known if _LAST_DAYS[one[0]] not in changes)
            case Restricted() | HoldSet() | RestrictionLifted() | PossibleDuplicateDismissed():
                pass
            case _:
                known = frozenset()
        return replace(super().after(event, moment), acknowledged=known)


DEFINITION = Definition(
    EntityType("driver", "drivers", "/api/v1/drivers", "driver_by_pk"),
    DriverDetails,
    Driver,
    "EMP-0042",
    given_id_required="Employee number is required",
)
