import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { EmailLink, PhoneLink } from "./ContactLinks";
import { codeText } from "./codeText";
import { withoutInvisible } from "./controls";
import { formatDistance } from "./distance";
import { relativeTime } from "./relativeTime";

test.each([
  [
    "an address",
    <EmailLink key="" email="asha.menon@fleetlog.example" />,
    "mailto:asha.menon@fleetlog.example",
  ],
  [
    "one with signs of its own",
    <EmailLink key="" email="a?b@fleetlog.example" />,
    "mailto:a%3Fb@fleetlog.example",
  ],
  ["a number", <PhoneLink key="" number="+91 98200-12345" />, "tel:+919820012345"],
])("%s is a link", (_, link, href) => {
  render(link);
  expect(screen.getByRole("link")).toHaveAttribute("href", href);
});

test.each([
  ["no address", <EmailLink key="" email="none" />],
  ["no number", <PhoneLink key="" number="n/a" />],
  ["two numbers", <PhoneLink key="" number="9820012345 / 9820012346" />],
  ["a number and another's last digits", <PhoneLink key="" number="022 2345678 / 79" />],
  ["a number with letters", <PhoneLink key="" number="98200 12345 Ravi" />],
])("what is %s leads nowhere", (_, text) => {
  render(text);
  expect(screen.queryByRole("link")).toBeNull();
});

test.each([
  ["SERVICE_POINT", "Service Point"],
  ["OWNED", "Owned"],
  ["In Use", "In Use"],
  ["KL07", "KL07"],
  ["", ""],
])("the code %o is shown as %o", (code, text) => {
  expect(codeText(code)).toBe(text);
});

test.each([
  ["zero-width spaces", "MH\u200b31\u2060AB\ufeff", "MH31AB"],
  ["overrides of direction", "abc\u202egpj.exe\u2066", "abcgpj.exe"],
  ["soft hyphens and tags", "a\u00adb\u{e0041}", "ab"],
  ["joiners between Latin letters", "Ra\u200dvi\u200c", "Ravi"],
])("%s are removed", (_, text, visible) => {
  expect(withoutInvisible(text)).toBe(visible);
});

test.each(["می\u200cخواهم", "क्\u200dष", "👩\u200d🔧", "שלום", "٠١٢"])("%s keeps its spelling", (text) => {
  expect(withoutInvisible(text)).toBe(text);
});

test.each([
  [0, "0.0 km"],
  [0.1 + 0.2, "0.3 km"],
  [1421, "1,421.0 km"],
])("%d km are written with one decimal", (kilometres, text) => {
  expect(formatDistance(kilometres)).toBe(text);
});

const now = Date.parse("2026-11-21T12:00:00Z");

test.each([
  ["2026-11-21T11:59:30Z", "just now"],
  ["2026-11-21T12:00:05Z", "just now"],
  ["2026-11-21T11:59:00Z", "1 minute ago"],
  ["2026-11-21T09:30:00Z", "2 hours ago"],
  ["2026-11-20T11:00:00Z", "yesterday"],
  ["2026-11-11T12:00:00Z", "10 days ago"],
  ["long ago", "long ago"],
])("%s is shown as %s", (moment, text) => {
  expect(relativeTime(moment, now)).toBe(text);
});
