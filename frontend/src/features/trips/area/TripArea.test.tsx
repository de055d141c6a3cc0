import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { renderRoutes } from "@/testing/renderRoutes";
import { tripAreaRoute } from "../routes";
import { useTripPreferences } from "./TripMenu";

const open = (address: string) => renderRoutes([tripAreaRoute], address);

const menu = () => within(screen.getByRole("navigation", { name: "Trip Management" }));
const card = (name: string) => within(screen.getByRole("region", { name }));
const fact = (region: string, label: string) => card(region).getByText(label).nextElementSibling?.textContent;

afterEach(() => useTripPreferences.setState(useTripPreferences.getInitialState(), true));

test("the overview's cards show the specification's fields", async () => {
  open("/trips/TRP-2026-001");
  await screen.findByRole("heading", { level: 1 });
  const facts: [string, string, string][] = [
    ["Vehicle Details", "Driver", "Rajesh Yadav"],
    ["Vehicle Details", "Trailer", "NL 01 Q 7718"],
    ["Vehicle Details", "Trailers", "NL 01 Q 7718, NL 01 Q 7719"],
    ["Route Information", "Route", "Mumbai – Delhi by NH 48"],
    ["Route Information", "Place of Loading", "JNPT, Navi Mumbai"],
    ["Route Information", "Place of Delivery", "Okhla, New Delhi"],
    ["Timeline", "Start Date", "19 Nov 2026"],
    ["Timeline", "Expected Delivery", "22 Nov 2026"],
    ["Timeline", "Client", "Bharat Steel"],
    ["Cargo Information", "Commodity", "Steel"],
    ["Cargo Information", "Cargo Type", "Oversized Cargo"],
    ["Cargo Information", "Tonnage", "38.5 tons"],
    ["Cargo Information", "Transport Rate", "₹1,42,500"],
    ["Settlement Details", "Loading Settlement", "70% Completed"],
    ["Settlement Details", "Unloading Settlement", "30% Pending"],
  ];
  for (const [region, label, text] of facts) expect(fact(region, label)).toBe(text);
});

test.each([
  ["tracking", "Route Tracking", "663.0 km"],
  ["vehicle", "Vehicle Details", "Tata Signa 5530.S"],
  ["cargo", "Cargo Management", "Hot-rolled coil, 2.5 mm × 1,250 mm"],
  ["settlement", "Settlement", "₹99,750"],
  ["documents", "Documents", "Awaited"],
  ["timeline", "Timeline", "Loading settlement paid"],
  ["alerts", "Issues & Alerts", "Departure from JNPT was 40 minutes after plan."],
  ["completion", "Completion", "2 of 6 steps done"],
  ["settings", "Settings", "Show icons only"],
])("the page %s is headed %s and says '%s'", async (path, heading, text) => {
  open(`/trips/TRP-2026-001/${path}`);
  expect(await screen.findByRole("heading", { level: 1, name: heading })).toBeVisible();
  expect(screen.getAllByText(text)[0]).toBeVisible();
  expect(menu().getByRole("link", { current: "page" })).toHaveTextContent(heading);
});

test("each page with records is printed under the trip's number", async () => {
  vi.stubGlobal("print", () => {});
  const { user, router } = open("/trips/TRP-2026-001/cargo");
  await user.click(await screen.findByRole("button", { name: "Print" }));
  const paper = within(await screen.findByRole("article", { name: /· Cargo Management$/ }));
  expect(paper.getByText(/Sample data/)).toBeInTheDocument();
  expect(paper.getByText("Hot-rolled coil, 2.5 mm × 1,250 mm")).toBeInTheDocument();
  await router.navigate("/trips/TRP-2026-001/settings");
  await screen.findByRole("heading", { level: 1, name: "Settings" });
  expect(screen.queryByRole("button", { name: "Print" })).toBeNull();
});

test("Back restores the list's state, also after several pages", async () => {
  const { router, user, here } = open("/elsewhere");
  await router.navigate("/trips/TRP-7", { state: { list: "?q=steel" } });
  await user.click(await screen.findByRole("link", { name: "Documents" }));
  await screen.findByRole("heading", { level: 1, name: "Documents" });
  await user.click(screen.getByRole("link", { name: "Back to Trips" }));
  await waitFor(() => expect(here()).toBe("/?q=steel"));
});

test("the settings change the menu", async () => {
  const { user } = open("/trips/TRP-7/settings");
  await user.click(await screen.findByRole("checkbox", { name: "Show icons only" }));
  expect(screen.getByRole("button", { name: "Expand menu" })).toBeVisible();
});

test("the timeline shows the latest event first", async () => {
  open("/trips/TRP-7/timeline");
  const events = within(await screen.findByRole("region", { name: "Events" })).getAllByRole("listitem");
  expect(events[0]).toHaveTextContent("Left Udaipur, Rajasthan");
  expect(events.at(-1)).toHaveTextContent("Trip planned");
});

test("an open step links to the page where it is done", async () => {
  const { user, here } = open("/trips/TRP-7/completion");
  const main = within(await screen.findByRole("main"));
  await user.click(await main.findByRole("link", { name: "Documents" }));
  await waitFor(() => expect(here()).toBe("/trips/TRP-7/documents"));
});
