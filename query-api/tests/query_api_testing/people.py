"""Generated drivers with planted doubles, to measure the matching.

Names have weights, so that there are namesakes; some drivers are siblings, who share father, address and
perhaps a telephone; others share a company's telephone. A planted double is the same person, written down
again: each field on its own is spelt otherwise, mistyped, or has another value, such as a renewed passport.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from string import ascii_lowercase, digits
from typing import Any, Final

Driver = dict[str, Any]

_FIRST: Final = """
Mohammed=Muhammad,Mohd,Mohammad,Mohamed|Ravi=Ravee|Suresh|Ramesh|Rajesh|Mahesh|Mukesh|Dinesh=Deenesh|Vijay=Vijai
Lakshman=Laxman,Laksman|Krishna=Krushna|Srinivas=Sreenivas,Shrinivas|Venkatesh=Wenkatesh|Jitendra=Jeetendra
Rajendra|Surendra=Surender|Ashok=Asok|Prakash=Parkash|Naveen=Navin|Sunil=Suneel|Anil=Aneel|Sanjay=Sanjai|Amit
Manish=Maneesh|Harish=Hareesh|Satish=Sateesh,Sathish|Santosh=Santhosh|Kartik=Karthik|Gurpreet=Gurprit|Ajay
Harpreet=Harprit|Jaswinder=Jasvinder|Kuldeep=Kuldip|Pradeep=Pradip|Sandeep=Sandip|Dilip=Dileep|Imran=Emran
Irfan=Erfan|Salim=Saleem|Rahim=Raheem|Karim=Kareem|Yusuf=Yousuf,Yusef|Abdul=Abdool|Ahmed=Ahmad,Ahamed|Usman=Osman
Iqbal=Ikbal|Aslam|Akram|Manoj|Arjun|Deepak=Dipak|Gopal|Hari|Ganesh=Ganesha|Mohan|Kiran|Karan|Rohan|Vikram=Bikram
Vinod=Vinodh|Rakesh|Naresh|Umesh|Bharat=Bharath|Murali=Muraly|Balwinder=Balvinder|Sukhdev=Sukhdeo|Baldev=Baldeo
Subramaniam=Subramanian,Subramanyam|Balakrishnan=Balkrishnan|Arun|Raju|Shankar=Sankar|Shiva=Siva|Ram=Rama|Joseph
Thomas|George|Peter|Anthony=Antony|Francis|Xavier|Jaspal|Nitin=Nithin|Tarun|Varun|Pankaj|Sachin|Rahul|Rohit|Yogesh
"""
_LAST: Final = """
Kumar=Kumaar|Singh=Sing|Sharma=Sarma|Verma=Varma|Yadav=Yadava|Khan|Ali=Aly|Hussain=Husain,Hussein|Sheikh=Shaikh,Shaik
Choudhary=Chaudhary,Chowdhury|Gupta|Patil=Pateel|Reddy=Reddi|Rao=Rau|Nair=Nayar|Pillai=Pillay|Naidu=Naydu|Das=Dass
Mukherjee=Mukherji|Banerjee=Banerji|Gowda=Gouda|Shetty=Shetti|Thakur=Thakoor|Mishra=Misra|Tiwari=Tewari|Dubey=Dube
Pandey=Pande|Joshi|Desai|Patel|Shah=Sah|Mehta|Jain|Agarwal=Aggarwal,Agrawal|Chauhan=Chouhan|Solanki|Rathore=Rathor
Gill|Sandhu|Dhillon=Dhilon|Sidhu=Siddhu|Grewal|Bhatt=Bhat|Kulkarni|Jadhav=Jadav|More|Shinde|Pawar=Powar|Menon|Iyer
Fernandes=Fernandez|DSouza|Mathew=Matthew|Varghese|Ansari|Siddiqui=Siddiqi|Qureshi=Kureshi|Mondal=Mandal|Biswas|Roy
"""
_CITIES: Final = (
    "Bengaluru=Bangalore|Mumbai=Bombay|Chennai=Madras|Kolkata=Calcutta|Pune=Poona|Mysuru=Mysore|Delhi|Hosur|Nagpur"
    "|Jaipur|Lucknow|Kanpur|Indore|Bhopal|Surat|Ludhiana|Amritsar|Patna|Ranchi|Salem|Madurai|Kochi=Cochin|Hubli"
)
_STREETS: Final = (
    "Residency|Gandhi|Nehru|Station|Market|Temple|Mosque|Church|Lake|Mill|Fort|Park|Canal|Bazaar|Hospital|College"
    "|School|Ring|Tank Bund|Subhash|Patel|Tilak|Ambedkar|Shivaji|Netaji|Rajaji|Kamaraj|Bose|Azad|Sarojini"
)
_DOMAINS: Final = ("gmail.com", "yahoo.com", "rediffmail.com", "outlook.com", "example.com")


def _spellings(text: str) -> dict[str, list[str]]:
    each = (one.strip().partition("=") for line in text.strip().split("\n") for one in line.split("|"))
    return {name: others.split(",") if others else [] for name, _, others in each}


FIRST, LAST, CITIES = map(_spellings, (_FIRST, _LAST, _CITIES))
_SPELLINGS: Final = FIRST | LAST | CITIES


@dataclass
class People:
    """Drivers, and the ids of the pairs that are planted doubles."""

    drivers: list[Driver]
    doubles: set[tuple[str, str]]


def people(seed: int, *, count: int, doubles: int) -> People:
    """Return `count` drivers, some of whom are doubles of others."""
    random = Random(seed)
    made: list[Driver] = []
    taken: set[str] = set()
    company = [_phone(random) for _ in range(count // 1000 + 1)]
    while len(made) < count - doubles:
        driver = _driver(random, len(made), taken)
        if made and random.random() < 0.06:
            _make_siblings(random, driver, random.choice(made))
        elif random.random() < 0.02:
            driver["mobile_number_2"] = random.choice(company)
        made.append(driver)
    pairs = set()
    for number, original in enumerate(random.sample(made, doubles)):
        double = {**_again(random, original, taken), "id": f"NEW-{number:05d}"}
        pairs.add((original["id"], double["id"]))
        made.append(double)
    random.shuffle(made)
    return People(made, pairs)


def _driver(random: Random, number: int, taken: set[str]) -> Driver:
    first, father_first = (_weighted(random, FIRST) for _ in range(2))
    last = _weighted(random, LAST)
    father_last = last if random.random() < 0.85 else _weighted(random, LAST)
    return {
        "id": f"EMP-{number:05d}",
        "name": f"{first} {last}",
        "father_name": f"{father_first} {father_last}",
        "address_1": _address(random),
        "city": _weighted(random, CITIES),
        "country": "India",
        "mobile_number_1": _phone(random),
        "mobile_number_2": _phone(random) if random.random() < 0.3 else None,
        "email_address": _mail(random, first, last, taken),
        "passport_number": _passport(random, taken),
        "driving_license_number": _licence(random),
        "bank_account_number": _digits(random, random.randint(11, 15)),
    }


def _make_siblings(random: Random, driver: Driver, other: Driver) -> None:
    first, last = driver["name"].split(" ")[0], other["name"].split(" ")[-1]
    driver |= {name: other[name] for name in ("father_name", "address_1", "city")}
    if f"{first} {last}" != other["name"]:
        driver["name"] = f"{first} {last}"
    if random.random() < 0.4:
        driver["mobile_number_2"] = other["mobile_number_2"] or other["mobile_number_1"]


def _again(random: Random, one: Driver, taken: set[str]) -> Driver:
    """Return a person's record, written down again."""

    def mostly(*choices: tuple[float, Any]) -> Any:
        weights, makers = zip(*choices, strict=True)
        return random.choices(makers, weights)[0]()

    first, *_, last = one["name"].split(" ")
    phone = one["mobile_number_1"]
    return {
        **one,
        "name": _name_again(random, one["name"]),
        "father_name": _name_again(random, one["father_name"]),
        "mobile_number_1": mostly(
            (0.55, lambda: _reformatted(random, phone)),
            (0.2, lambda: _typo(random, phone, digits)),
            (0.25, lambda: _phone(random)),
        ),
        "mobile_number_2": random.choice([one["mobile_number_2"], None]),
        "email_address": mostly(
            (0.45, lambda: random.choice([one["email_address"], one["email_address"].upper()])),
            (0.15, lambda: _typo(random, one["email_address"], ascii_lowercase)),
            (0.4, lambda: _mail(random, first, last, taken)),
        ),
        "address_1": mostly(
            (0.6, lambda: _address_again(random, one["address_1"])),
            (0.15, lambda: _typo(random, one["address_1"], ascii_lowercase)),
            (0.25, lambda: _address(random)),
        ),
        "city": random.choice([one["city"], *_SPELLINGS[one["city"]]]),
        "passport_number": mostly(
            (0.4, lambda: _typo(random, one["passport_number"], digits)),
            (0.2, lambda: one["passport_number"].replace("0", "O").replace("1", "I")),
            (0.4, lambda: _passport(random, taken)),
        ),
        "driving_license_number": mostly(
            (0.6, lambda: _typo(random, one["driving_license_number"], digits)),
            (0.4, lambda: _licence(random)),
        ),
        "bank_account_number": mostly(
            (0.5, lambda: _grouped(one["bank_account_number"])),
            (0.2, lambda: _typo(random, one["bank_account_number"], digits)),
            (0.3, lambda: _digits(random, 12)),
        ),
    }


def _name_again(random: Random, name: str) -> str:
    words = name.split(" ")
    kind = random.choices(["same", "spelt", "typo", "swapped", "longer"], [20, 35, 20, 15, 10])[0]
    if kind == "spelt":
        words = [random.choice(_SPELLINGS.get(word) or [word]) for word in words]
    elif kind == "typo":
        place = random.randrange(len(words))
        words[place] = _typo(random, words[place], ascii_lowercase)
    elif kind == "swapped":
        words.reverse()
    elif kind == "longer":
        words.insert(1, random.choice(["Lal", "Prasad", "K", *LAST]))
    return " ".join(words).upper() if random.random() < 0.15 else " ".join(words)


def _typo(random: Random, text: str, letters: str) -> str:
    """Return a text with one wrong, missing, additional or exchanged character, not the first one."""
    place = random.randrange(1, len(text) - 1)
    before, here, after = text[:place], text[place], text[place + 1 :]
    kinds: Sequence[str] = (
        before + random.choice(letters) + after,
        before + after,
        before + here + here + after,
        before + after[:1] + here + after[1:],
    )
    return random.choice([one for one in kinds if one != text])


def _weighted(random: Random, names: dict[str, list[str]]) -> str:
    """Return a name; the first ones are the most frequent."""
    weights = [1 / (place + 8) for place in range(len(names))]
    return random.choices(list(names), weights)[0]


def _digits(random: Random, count: int) -> str:
    return "".join(random.choices(digits, k=count))


def _phone(random: Random) -> str:
    return f"+91 {random.choice('6789')}{_digits(random, 4)} {_digits(random, 5)}"


def _reformatted(random: Random, phone: str) -> str:
    bare = phone[-11:].replace(" ", "")
    return random.choice([bare, f"0{bare}", f"0091-{bare}", f"+91-{bare[:3]}-{bare[3:6]}-{bare[6:]}"])


def _mail(random: Random, first: str, last: str, taken: set[str]) -> str:
    end = random.choice(["", "", str(random.randint(1, 99)), str(random.randint(1960, 2004))])
    name = random.choice([f"{first}.{last}", f"{first}{last}", f"{first[0]}{last}", f"{last}.{first}", first])
    mail = f"{name}{end}@{random.choice(_DOMAINS)}".lower()
    return _unused(mail, taken) or _mail(random, first, last, taken)


def _unused(text: str, taken: set[str]) -> str | None:
    """Return a text that is not taken, and take it: providers and states assign nothing twice."""
    plain = text.replace(".", "")
    if plain in taken:
        return None
    taken.add(plain)
    return text


def _passport(random: Random, taken: set[str]) -> str:
    number = random.choice("JKLMNPRSTUVWZ") + _digits(random, 7)
    return _unused(number, taken) or _passport(random, taken)


def _licence(random: Random) -> str:
    state = random.choice(["KA", "MH", "TN", "DL", "PB", "UP", "RJ", "WB"])
    return f"{state}{random.randint(1, 60):02d} {random.randint(1995, 2025)}{_digits(random, 7)}"


def _address(random: Random) -> str:
    street = f"{random.choice(_STREETS.split('|'))} {random.choice(['Road', 'Street', 'Nagar'])}"
    return f"{random.randint(1, 400)} {street}"


def _address_again(random: Random, address: str) -> str:
    number, _, street = address.partition(" ")
    short = street.replace("Road", "Rd").replace("Street", "St.").replace("Nagar", "Ngr")
    return random.choice(
        [f"No. {number}, {street}", f"{number}, {short}", f"{street} {number}", address.upper()]
    )


def _grouped(number: str) -> str:
    return " ".join(number[place : place + 4] for place in range(0, len(number), 4))
