import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { meWith } from "@/testing/permissions";
import { Needs } from "./Needs";
import { type Me, MeContext } from "./permissions";
import { registerTokenRenewal } from "./session";

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
