import { screen } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { afterEach, expect, test, vi } from "vitest";
import { meWith, OF_PRIVACY_OFFICER, staff } from "@/testing/permissions";
import { renderRoutes } from "@/testing/renderRoutes";
import { server } from "@/testing/server";
import { signIn } from "@/testing/session";
import { managementRoutes } from "./routes";

const card = (name: RegExp) => screen.findByRole("link", { name });

afterEach(() => {
  vi.useRealTimers();
});

test("cards have the specified texts, and show counts without requesting personal data", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 10, 25, 23, 59) });
  signIn();
  const asked: string[] = [];
  server.use(
    http.get("*/api/v1/:kind", ({ request }) => {
      const { pathname, search } = new URL(request.url);
      asked.push(pathname + search);
      return HttpResponse.json({
        content: [],
        page: { totalElements: pathname.endsWith("drivers") ? 10200 : search.includes("from=") ? 12 : 7 },
      });
    }),
  );
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
  expect(asked.toSorted()).toEqual([
    `/api/v1/drivers?${beyondTheLast}`,
    `/api/v1/due-dates?from=2026-11-25&until=2026-12-25&${beyondTheLast}`,
    `/api/v1/due-dates?until=2026-11-24&${beyondTheLast}`,
    `/api/v1/horses?${beyondTheLast}`,
    `/api/v1/trailers?${beyondTheLast}`,
  ]);
});

test("privacy officers see the numbers of open and overdue requests", async () => {
  signIn();
  const request = { state: "restricted", due: "2099-01-01" };
  const content = [request, { ...request, due: "2020-01-01" }, { state: "erased", due: "2020-01-01" }];
  server.use(http.get("*/api/v1/privacy/requests", () => HttpResponse.json({ content })));
  renderRoutes(managementRoutes, "/management", meWith(OF_PRIVACY_OFFICER, "privacy-officer"));
  expect(await card(/^Privacy Requests 2 open.*1 overdue/)).toBeVisible();
});

test("with a moment of the past in view, no counts are shown", async () => {
  signIn();
  renderRoutes(managementRoutes, "/management?as_of=2026-11-20T04:30:00Z", staff);
  expect(await card(/^Drivers ?Manage drivers/)).toBeVisible();
});
