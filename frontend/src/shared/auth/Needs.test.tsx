import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { meWith } from "@/testing/permissions";
import { Needs } from "./Needs";
import { type Me, MeContext } from "./permissions";

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
const nobody = { ...meWith([], ""), roles: [] };

test("all that is missing is named, and a role only where there is one", () => {
  render(screenOf(nobody));
  expect(
    screen.getByText("You need the permissions “fleet:read” and “fleet:write” to edit a driver."),
  ).toBeVisible();
  expect(screen.queryByText(/^Role/)).toBeNull();
});

test("a permission that comes opens the screen, and one that goes closes it", () => {
  const { rerender } = render(screenOf(reader));
  expect(screen.getByText(/^You need the permission “fleet:write”/)).toBeVisible();
  rerender(screenOf(writer));
  expect(screen.getByLabelText("City")).toBeVisible();
  rerender(screenOf(reader));
  expect(screen.queryByLabelText("City")).toBeNull();
});

test("what is being typed stays when a permission goes", async () => {
  const { rerender } = render(screenOf(writer, true));
  await userEvent.type(screen.getByLabelText("City"), "Pune");
  rerender(screenOf(reader, true));
  expect(screen.getByLabelText("City")).toHaveValue("Pune");
});
