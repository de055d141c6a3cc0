import { screen, waitFor } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { loadLocationsTab } from "@/features/locations/routes";
import { managementRoutes } from "@/features/management/routes";
import { routesRoutes } from "@/features/routes/routes";
import { analyst, officer, operator, staff, trainee, unprivileged } from "@/testing/permissions";
import { renderRoutes } from "@/testing/renderRoutes";
import { server } from "@/testing/server";
import { routes as productRoutes } from "./routes";
import { Shell } from "./shell/Shell";

const routes = [{ Component: Shell, children: [...managementRoutes, ...routesRoutes(loadLocationsTab)] }];

/** The screens without gate and shell. */
const screens = productRoutes[0]?.children?.[1]?.children ?? [];

const KINDS = [
  ...["Drivers", "Routes", "Trailers", "Horses", "Assignments"],
  ...["Clients", "Subcontractors", "Fleet"],
];
const OWN = "My Daily Digest";
const DOUBLES = "Possible Duplicates";

test.each([
  ["staff", staff, [...KINDS, "Due Dates", DOUBLES, "Notifications", OWN, "Audit Trail", "Event Stream"]],
  ["an analyst", analyst, [...KINDS, DOUBLES, OWN, "Event Stream"]],
  ["an operator", operator, [...KINDS, DOUBLES, "Notifications", OWN, "System"]],
  ["a privacy officer", officer, [...KINDS, "Due Dates", DOUBLES, OWN, "Audit Trail", "Privacy Requests"]],
  ["no role", trainee, ["Routes", "Clients", "Subcontractors"]],
])("%s is offered what leads somewhere", async (_, me, cards) => {
  if (me === operator)
    server.use(http.get("*/api/v1/system/state", () => HttpResponse.json({ state: "well" })));
  server.use(http.get("*/api/v1/privacy/requests", () => HttpResponse.json({ content: [] })));
  renderRoutes(routes, "/management", me);
  await screen.findByRole("heading", { level: 1, name: "Management Center" });
  const links = screen.getByRole("main").querySelectorAll("a");
  expect([...links].map((link) => cards.find((card) => link.textContent?.startsWith(card)))).toEqual(cards);
  const seesThePast = me === staff || me === officer;
  await waitFor(() =>
    expect(screen.queryAllByRole("link", { name: "System: all is well" })).toHaveLength(
      me === operator ? 1 : 0,
    ),
  );
  expect(screen.queryAllByRole("button", { name: "View as of…" })).toHaveLength(seesThePast ? 1 : 0);
  expect(screen.queryAllByRole("button", { name: "Recent activity" })).toHaveLength(seesThePast ? 1 : 0);
  expect(screen.getByText(me.roles.join())).toBeVisible();
});

test("without history:read, a moment of the past is refused with a way back", async () => {
  const { user } = renderRoutes(routes, "/management?as_of=2026-11-20T04:30:00Z", analyst);
  expect(await screen.findByRole("heading", { level: 1, name: "Permission needed" })).toHaveFocus();
  expect(screen.queryByRole("region", { name: "Viewing the past" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Back to now" }));
  expect(await screen.findByRole("heading", { level: 1, name: "Management Center" })).toBeVisible();
});

test("locations are records, which routes are not", async () => {
  renderRoutes(routes, "/management/routes?tab=locations", trainee);
  expect(await screen.findByText("You need the fleet:read permission to see locations.")).toBeVisible();
  expect(screen.getByRole("link", { name: "Back to Routes" })).toHaveAttribute("href", "/management/routes");
});

test.each([
  ["/management/audit", analyst, "audit:read", "see the audit trail"],
  ["/management/audit?tab=access", staff, "access-log:read", "see the access log"],
  ["/management/due-dates", unprivileged, "personal:read", "see due dates"],
  ["/management/event-stream", operator, "feed:read", "read the event stream"],
  ["/management/notifications/SUB-1", analyst, "notifications:manage", "see a subscription"],
  ["/management/notifications/confirm?link=x", analyst, "personal:read", "confirm an address"],
  ["/management/privacy-requests", staff, "privacy:restrict", "see privacy requests"],
  ["/management/system", staff, "operations:read", "see the system status"],
])("%s names the missing permission and requests nothing", async (address, me, permission, what) => {
  renderRoutes(screens, address, me);
  const text = `You need the ${permission} permission to ${what}.`;
  expect(await screen.findByText(new RegExp(text))).toBeVisible();
});
