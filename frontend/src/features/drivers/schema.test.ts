import { expect, test } from "vitest";
import { driverApi, driverSchema, emptyDriver, wireDriver } from "./testing/drivers";

const complete = driverApi.toValues(wireDriver());

function messages(values: unknown): Record<string, string[]> {
  const result = driverSchema.safeParse(values);
  return Object.fromEntries(
    (result.error?.issues ?? []).map(({ path, message }) => [path.join("."), [message]]),
  );
}

test("every required field has the specification's own message, and the optional ones have none", () => {
  expect(messages(emptyDriver)).toEqual({
    id: ["Employee number is required"],
    name: ["Driver name is required"],
    address1: ["Primary address is required"],
    city: ["City is required"],
    country: ["Country is required"],
    mobile1: ["Primary mobile number is required"],
    email: ["Invalid email address"],
    fatherName: ["Father's name is required"],
    passportNumber: ["Passport number is required"],
    passportValidUpTo: ["Passport expiry date is required"],
    licenseNumber: ["Driving license number is required"],
    licenseValidUpTo: ["License expiry date is required"],
    bankAccount: ["Bank account number is required"],
    bankName: ["Bank name is required"],
    bankAddress: ["Bank address is required"],
    ifscCode: ["IFSC code is required"],
  });
});

test("blank text does not count as given", () => {
  expect(messages({ ...complete, name: "   " })).toEqual({ name: ["Driver name is required"] });
});

test("spaces around a text are dropped", () => {
  expect(driverSchema.parse({ ...complete, name: " Ravi  Kumar " }).name).toBe("Ravi  Kumar");
});

test.each(["ravi", "ravi@", "@example.com", "ravi@example", "ra vi@example.com"])(
  "%o is no e-mail",
  (email) => {
    expect(messages({ ...complete, email })).toEqual({ email: ["Invalid email address"] });
  },
);
