import { screen } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { meWith, OF_ANALYST, staff } from "@/testing/permissions";
import { server } from "@/testing/server";
import { auditServer, change } from "./testing/auditServer";
import { openAudit } from "./testing/openAudit";

const refused = (permission: string) =>
  screen.findByText(new RegExp(`^You need the ${permission} permission`));

test("staff see the trail and download it masked; there is no log of accesses for them", async () => {
  auditServer([change(1)]);
  await openAudit("", staff);
  expect(await screen.findByRole("link", { name: "Driver Ravi Kumar" })).toBeVisible();
  expect(screen.getByRole("button", { name: "Download CSV" })).toBeVisible();
  expect(screen.queryByLabelText("With personal data")).toBeNull();
  expect(screen.queryByRole("tab")).toBeNull();
});

test("a link to the access log shows the missing permission and sends no request", async () => {
  await openAudit("?tab=access", staff);
  expect(await refused("access-log:read")).toBeVisible();
});

test("a link to the trail shows the missing permission and sends no request", async () => {
  await openAudit("", meWith(OF_ANALYST, "analyst"));
  expect(await refused("audit:read")).toBeVisible();
  expect(screen.getByRole("link", { name: "Back to Management" })).toHaveAttribute("href", "/management");
});

test("with access-log:read alone, the access log is shown", async () => {
  server.use(http.get("*/api/v1/access-log", () => HttpResponse.json({ content: [], next: null })));
  await openAudit("", meWith(["access-log:read"], "works council"));
  expect(await screen.findByText("No downloads or operations yet")).toBeVisible();
});

test("without history:read, entries have no links", async () => {
  auditServer([change(1)]);
  await openAudit("", meWith(["audit:read", "fleet:read"], "controller"));
  expect(await screen.findByText("Driver Ravi Kumar")).toBeVisible();
  expect(screen.queryByRole("link", { name: "Driver Ravi Kumar" })).toBeNull();
});
