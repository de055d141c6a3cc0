import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { EmailLink, PhoneLink } from "./ContactLinks";

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
