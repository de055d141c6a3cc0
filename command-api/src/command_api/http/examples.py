"""Examples for the OpenAPI document. No nulls: FastAPI drops them from its document."""

from collections.abc import Mapping
from typing import Any, Final

DETAILS: Final[Mapping[str, Mapping[str, Any]]] = {
    "driver": {
        "name": "Ravi Kumar",
        "address_1": "14 Residency Road",
        "address_2": "Near Mayo Hall",
        "city": "Bengaluru",
        "country": "India",
        "mobile_number_1": "+91 98450 12345",
        "mobile_number_2": "+91 80 2558 0000",
        "email_address": "ravi.kumar@example.com",
        "father_name": "Mohan Kumar",
        "passport_number": "M1234567",
        "passport_expiry_date": "2031-03-31",
        "driving_license_number": "KA05 20110012345",
        "driving_license_expiry": "2029-08-14",
        "bank_account_number": "00112233445566",
        "bank_name": "Canara Bank",
        "bank_address": "MG Road, Bengaluru",
        "ifsc_code": "CNRB0000404",
        "swift_code": "CNRBINBBBFD",
    },
    "trailer": {
        "identifier": "Low bed 7",
        "trailer_registration_number": "KA01AB1234",
        "owner_name": "Sagar Transport",
        "type": "LOW_BED",
        "status": "RUNNING",
        "capacity_tons": 40,
        "axles": 3,
        "no_of_tyres": 12,
        "name_of_country": "India",
        "purchase_date": "2021-05-10",
        "registered_at": "2021-06-01",
        "ownership_type": "OWNED",
        "description_1": "Hydraulic ramps, refitted in 2024",
        "description_2": "Spare wheel on the left",
        "description_3": "Insured until March 2027",
        "description_4": "Tarpaulin: 12 m",
        "description_5": "Brake check every 20,000 km",
        "data": {"currentLocation": "Hosur", "lastMaintenance": "2026-10-02"},
    },
    "horse": {
        "chassis_number": "MAT448061D2L12345",
        "engine_number": "ISBE5.9-21034567",
        "hired": "No",
        "identifier": "Prima 4928",
        "owner": "Sagar Transport",
        "metadata": {"fuel": "diesel"},
        "description": "Sleeper cabin",
    },
    "location": {
        "name": "Hosur warehouse",
        "lat": 12.7409,
        "longitude": 77.8253,
        "country": "India",
        "location_type": "WAREHOUSE",
        "attributes": {
            "city": "Hosur",
            "state": "Tamil Nadu",
            "postalCode": "635109",
            "status": "Active",
            "capacity": 120,
        },
    },
}

IDS: Final[Mapping[str, str]] = {
    "driver": "EMP-0042",
    "trailer": "TRL-7G4K9QXM",
    "horse": "HRS-3W8N1ZTB",
    "location": "LOC-5D2R6YVC",
}

TIMES: Final[Mapping[str, str]] = {
    "created_at": "2026-11-21T04:10:45.123Z",
    "updated_at": "2026-11-21T04:10:45.123Z",
}
