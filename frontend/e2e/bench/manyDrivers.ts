const GIVEN = ["Aarav", "Asha", "Deepa", "Farhan", "Imran", "José", "Kavita", "Lakshmi", "Meera", "Ravi"];
const FAMILY = ["Álvarez", "Das", "Fernandes", "Iyer", "Khan", "Kumar", "Menon", "Nair", "Sharma", "Singh"];
const CITIES = ["Kochi", "Mumbai", "Nagpur", "Pune", "Surat", "Thrissur", "Vijayawada"];

/** Drivers as the server gives them, the same ones in every run, and in no order. */
export function manyDrivers(count: number) {
  const random = generator(7);
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? "";
  const digits = (length: number) => String(Math.floor(random() * 10 ** length)).padStart(length, "0");
  const phone = () => `+91 9${digits(4)} ${digits(5)}`;
  const date = () => `20${26 + Math.floor(random() * 9)}-0${1 + Math.floor(random() * 9)}-1${digits(1)}`;

  return Array.from({ length: count }, (_, index) => ({
    id: `EMP-${String((index * 7919) % count).padStart(5, "0")}`,
    name: `${pick(GIVEN)} ${pick(FAMILY)} ${digits(3)}`,
    address_1: `${digits(3)} Station Road`,
    address_2: null,
    city: pick(CITIES),
    country: "India",
    mobile_number_1: phone(),
    mobile_number_2: random() < 0.5 ? phone() : null,
    email_address: `driver.${index}@example.com`,
    father_name: `${pick(GIVEN)} ${pick(FAMILY)}`,
    passport_number: `P${digits(7)}`,
    passport_expiry_date: date(),
    driving_license_number: `MH31 2019${digits(7)}`,
    driving_license_expiry: date(),
    bank_account_number: digits(12),
    bank_name: "State Bank of India",
    bank_address: "Sitabuldi, Nagpur",
    ifsc_code: "SBIN0000432",
    swift_code: null,
  }));
}

/** Numbers from 0 to 1 that look random and are the same for the same seed (a linear congruence). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
