import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { answer } from "@/testing/answer";
import { officer, staff } from "@/testing/permissions";
import { renderRoutes } from "@/testing/renderRoutes";
import { managementRoutes } from "./routes";

const card = (name: RegExp) => screen.findByRole("link", { name });

test("cards have the specified texts, and show counts without requesting personal data", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 10, 25, 23, 59) });
  const asked = answer("GET v1/:kind", ({ path, query }) => ({
    content: [],
    page: { totalElements: path.endsWith("drivers") ? 10200 : query.has("from") ? 12 : 7 },
  }));
  renderRoutes(managementRoutes, "/management", staff);
  expect(await card(/^Drivers 10,200/)).toBeVisible();
  expect(await card(/^Trailers 7/)).toBeVisible();
  expect(await card(/^Horses 7/)).toBeVisible();
  expect(await card(/^Due Dates 12 soon.*7 expired/)).toBeVisible();
  for (const name of [
    /^Drivers .*Manage drivers, licenses and employee records$/,
    /^Routes ?Plan and optimize routes$/,
    /^Trailers .*Trailer fleet and maintenance$/,
    /^Horses .*Monitor engine fleet$/,
    /^Clients ?Client relationships and contracts$/,
    /^Subcontractors ?Subcontractor partnerships$/,
  ]) {
    expect(await card(name)).toBeVisible();
  }
  const beyondTheLast = "page=2147483647&size=1";
  expect(asked.map(({ path, query }) => `${path}?${query}`).toSorted()).toEqual([
    `/api/v1/drivers?${beyondTheLast}`,
    `/api/v1/due-dates?from=2026-11-25&until=2026-12-25&${beyondTheLast}`,
    `/api/v1/due-dates?until=2026-11-24&${beyondTheLast}`,
    `/api/v1/horses?${beyondTheLast}`,
    `/api/v1/trailers?${beyondTheLast}`,
  ]);
});

test("privacy officers see the numbers of open and overdue requests", async () => {
  const request = { state: "restricted", due: "2099-01-01" };
  const content = [request, { ...request, due: "2020-01-01" }, { state: "erased", due: "2020-01-01" }];
  answer("GET v1/privacy/requests", () => ({ content }));
  renderRoutes(managementRoutes, "/management", officer);
  expect(await card(/^Privacy Requests 2 open.*1 overdue/)).toBeVisible();
});

test("with a moment of the past in view, no counts are shown", async () => {
  renderRoutes(managementRoutes, "/management?as_of=2026-11-20T04:30:00Z", staff);
  expect(await card(/^Drivers ?Manage drivers/)).toBeVisible();
});
