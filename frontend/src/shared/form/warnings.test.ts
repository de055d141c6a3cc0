import { expect, test, vi } from "vitest";
import { ifscCode, notInFuture, oneOf, swiftCode, warningOf, wholeNumber } from "./warnings";

const phone = { kind: "tel" } as const;
const mail = { kind: "email" } as const;
const licence = { kind: "date", expires: true } as const;
const purchase = { kind: "date", warning: notInFuture } as const;
const axles = { kind: "number", warning: wholeNumber } as const;
const ifsc = { warning: ifscCode };
const swift = { warning: swiftCode };
const status = { warning: oneOf(["Available", "In Use", "Out of Service"]) };

test.each([
  [phone, ["+91 98200-12345", "022 2345678", "(0) 98/200", "100"], ""],
  [phone, ["98200 12345 Ravi", "n/a"], "A phone number has no letters."],
  [
    phone,
    ["9820012345 / 79", "9820012345, 9820012346", "98200123459820012346", "12"],
    "This is not one phone number.",
  ],
  [mail, ["a@gmail.com", "a@mail.com", "a@ymail.com", "a@fleetlog.example", "a"], ""],
  [
    mail,
    ["a@gmial.com", "a@GMAIL.CON", "a@gmail.co", "a@gmal.com", "a@ggmail.com"],
    "Did you mean gmail.com?",
  ],
  [mail, ["a@yaho.com"], "Did you mean yahoo.com?"],
  [licence, ["2026-11-27", "2029-12-31", "31/13/2020"], ""],
  [licence, ["2026-11-26"], "This document has expired."],
  [purchase, ["2026-11-27", "1985-12-31", "soon"], ""],
  [purchase, ["2026-11-28"], "This date is in the future."],
  [axles, ["3", "3.0", "three"], ""],
  [axles, ["2.5"], "2.5 is not a whole number."],
  [ifsc, ["SBIN0001234", "sbin0ABC123"], ""],
  [ifsc, ["SBIN1001234", "SBIN000123", "56789"], "An IFSC code has 11 characters, such as SBIN0001234."],
  [swift, ["SBININBB", "sbininbb104"], ""],
  [swift, ["SBININBB1", "5BININBB"], "A SWIFT code has 8 or 11 characters, such as SBININBB."],
  [status, ["Available", "IN_USE", "out of service"], ""],
  [status, ["availble"], "availble is not a known status. Did you mean Available?"],
  [status, ["Avalible"], "Avalible is not a known status. Did you mean Available?"],
  [status, ["Sold"], "Sold is not a known status."],
])("%o warns of %j: %s", (field, texts, warning) => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 10, 27, 12) });
  const warn = warningOf({ name: "field", label: "Field", ...field });
  expect(texts.map((text) => warn?.(` ${text} `) ?? "")).toEqual(texts.map(() => warning));
  expect(warn?.(" ")).toBeUndefined();
});
