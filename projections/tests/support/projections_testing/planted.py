"""Distinctive personal values, by entity type."""

from typing import Any, Final

PLANTED: Final[dict[str, dict[str, Any]]] = {
    "driver": {
        "name": "Zubeida Quartermaine",
        "father_name": "Ignatius Quartermaine",
        "address_1": "77 Obelisk Terrace",
        "address_2": "behind Vermilion Mills",
        "city": "Tiruvottiyur",
        "mobile_number_1": "+91 90909 17171",
        "mobile_number_2": "+91 90909 28282",
        "email_address": "zubeida.q@example.org",
        "passport_number": "ZQ7719203",
        "driving_license_number": "TN77 20110077123",
        "bank_account_number": "771177220033",
        "bank_name": "Kumbakonam Mutual",
        "bank_address": "3 Counting House Lane",
        "ifsc_code": "KMUT0007719",
        "swift_code": "KMUTINBBQQQ",
    },
    "trailer": {
        "owner_name": "Peregrine Oyelaran",
        "description_1": "ask Wilhelmina at the gate",
        "data": {"caretaker": "Bartholomew Nze"},
    },
    "horse": {
        "owner": "Xanthe Papadimitriou",
        "description": "belongs to Leocadia's cousin",
        "metadata": {"Anselm Yoder": "+91 90909 39393"},
    },
    "location": {},
    "subscription": {
        "name": "Ottoline's reminders",
        "recipients": ["ottoline.quill@example.org"],
        "url": "https://hooks.example.com/token-of-ottoline",
    },
    "assignment": {"note": "instead of Philippa Marchetti"},
}
