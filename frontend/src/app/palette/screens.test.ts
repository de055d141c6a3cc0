import type { RouteObject } from "react-router";
import { expect, test } from "vitest";
import { loadRecordKinds } from "../recordKinds";
import { routes } from "../routes";
import { allScreens, screensOpenTo } from "./screens";

/** The addresses of the route table that name no record, booking or trip. */
function fixedAddresses(of: readonly RouteObject[], above = ""): readonly string[] {
  return of.flatMap(({ path, children = [], lazy }) => {
    const at = path?.startsWith("/") ? path : path ? `${above}/${path}` : above;
    const own = lazy && path !== undefined && !/[:*]/.test(at) ? [at] : [];
    return [...own, ...fixedAddresses(children, at)];
  });
}

/** Screens that need the address of a mail. */
const BY_MAIL = ["/management/notifications/confirm"];

test("every screen of the route table can be gone to, and nothing else", async () => {
  const offered = new Set(allScreens(await loadRecordKinds()).map(({ to }) => to.replace(/\?.*/, "")));
  const addresses = new Set(fixedAddresses(routes).filter((address) => !BY_MAIL.includes(address)));
  expect([...offered].toSorted()).toEqual([...addresses].toSorted());
});

test("no two screens are called the same", async () => {
  const titles = allScreens(await loadRecordKinds()).map(({ title }) => title);
  expect(titles.toSorted()).toEqual([...new Set(titles)].toSorted());
});

test("a screen that needs a permission is offered only with it", async () => {
  const kinds = await loadRecordKinds();
  const titlesFor = (...permissions: Parameters<typeof screensOpenTo>[0]) =>
    screensOpenTo(permissions, kinds).map(({ title }) => title);
  expect(titlesFor()).toEqual(expect.arrayContaining(["Trips", "Clients", "New Booking Proposal"]));
  expect(titlesFor()).not.toContain("Drivers");
  expect(titlesFor("fleet:read")).toEqual(expect.arrayContaining(["Drivers", "Locations"]));
  expect(titlesFor("fleet:read")).not.toContain("Add Driver");
  expect(titlesFor("fleet:read", "fleet:write")).toContain("Add Location");
  expect(titlesFor("operations:read")).toContain("System");
});
