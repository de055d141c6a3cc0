import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { meWith } from "@/testing/permissions";
import { tokenExpiringIn } from "@/testing/session";
import { Needs } from "./Needs";
import { type Me, MeContext } from "./permissions";
import { isTokenValid, registerTokenRenewal } from "./session";

const screenOf = (me: Me, stays = false) => (
  <MeContext value={me}>
    <Needs
      permissions={["fleet:read", "fleet:write"]}
      to="edit a driver"
      back={<a href="/">Back</a>}
      stays={stays}
    >
      <input aria-label="City" />
    </Needs>
  </MeContext>
);

const writer = meWith(["fleet:read", "fleet:write"], "clerk");
const reader = meWith(["fleet:read"], "reader");
const trainee = { ...meWith([], ""), roles: [] };

test("missing permissions are named, and roles if there are any", () => {
  render(screenOf(trainee));
  expect(
    screen.getByText("You need the fleet:read and fleet:write permissions to edit a driver."),
  ).toBeVisible();
  expect(screen.queryByText(/^Role/)).toBeNull();
});

test("granting a permission opens the screen, and withdrawing it closes it", () => {
  const { rerender } = render(screenOf(reader));
  expect(screen.getByText(/^You need the fleet:write permission/)).toBeVisible();
  rerender(screenOf(writer));
  expect(screen.getByLabelText("City")).toBeVisible();
  rerender(screenOf(reader));
  expect(screen.queryByLabelText("City")).toBeNull();
});

test("input stays when a permission is withdrawn", async () => {
  const { rerender } = render(screenOf(writer, true));
  await userEvent.type(screen.getByLabelText("City"), "Pune");
  rerender(screenOf(reader, true));
  expect(screen.getByLabelText("City")).toHaveValue("Pune");
});

test("a repeated check reports that the permission is still missing", async () => {
  const renew = vi.fn(async () => "another token");
  const unregister = registerTokenRenewal(renew);
  const { rerender } = render(screenOf(reader));
  await userEvent.click(screen.getByRole("button", { name: "Check Again" }));
  expect(screen.getByRole("button", { name: "Checking..." })).toBeVisible();
  expect(renew).toHaveBeenCalledOnce();
  expect(screen.getByRole("status")).toHaveTextContent("");
  rerender(screenOf({ ...reader }));
  expect(screen.getByRole("status")).toHaveTextContent("Checked: the permission is still missing.");
  expect(screen.getByRole("button", { name: "Check Again" })).toBeVisible();
  unregister();
});

test("a token is valid until its own expiry claim", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -100_000, max: 100_000 }).filter((seconds) => Math.abs(seconds) > 1),
      (seconds) => isTokenValid(tokenExpiringIn(seconds)) === seconds > 0,
    ),
  );
});

test("a token's expiry may be a fraction of a second", () => {
  const token = tokenExpiringIn(0, { exp: 1_900_000_000.5 });
  expect(isTokenValid(token, 1_900_000_000_499)).toBe(true);
  expect(isTokenValid(token, 1_900_000_000_500)).toBe(false);
});

test("claims in any script are read", () => {
  expect(isTokenValid(tokenExpiringIn(60, { picture: "ÿ>?~" }))).toBe(true);
});

test.each([
  null,
  "",
  "opaque",
  "a.b.c",
  "a..c",
  `a.${btoa("[]")}.c`,
  `a.${btoa('{"exp":"soon"}')}.c`,
  `a.${btoa('{"exp":1e999}')}.c`,
  `a.${btoa('{"exp":true}')}.c`,
])("%s is no valid token", (token) => {
  expect(isTokenValid(token)).toBe(false);
});
