import { screen } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { meWith, OF_PRIVACY_OFFICER, staff } from "@/testing/permissions";
import { renderRoutes } from "@/testing/renderRoutes";
import { server } from "@/testing/server";
import { signIn } from "@/testing/session";
import { managementRoutes } from "./routes";

const card = (name: RegExp) => screen.findByRole("link", { name });

test("cards say how many there are, without asking for anybody's data", async () => {
  signIn();
  const asked: string[] = [];
  server.use(
    http.get("*/api/v1/:kind", ({ request }) => {
      const { pathname, search } = new URL(request.url);
      asked.push(pathname + search);
      return HttpResponse.json({
        content: [],
        page: { totalElements: pathname.endsWith("drivers") ? 10200 : 7 },
      });
    }),
  );
  renderRoutes(managementRoutes, "/management", staff);
  expect(await card(/^Drivers 10,200/)).toBeVisible();
  expect(await card(/^Trailers 7/)).toBeVisible();
  expect(await card(/^Horses 7/)).toBeVisible();
  const beyondTheLast = ["drivers", "horses", "trailers"].map(
    (kind) => `/api/v1/${kind}?page=2147483647&size=1`,
  );
  expect(asked.toSorted()).toEqual(beyondTheLast);
});

test("whoever sees to privacy is told how many requests are open, and how many are overdue", async () => {
  signIn();
  const request = { state: "restricted", due: "2099-01-01" };
  const content = [request, { ...request, due: "2020-01-01" }, { state: "erased", due: "2020-01-01" }];
  server.use(http.get("*/api/v1/privacy/requests", () => HttpResponse.json({ content })));
  renderRoutes(managementRoutes, "/management", meWith(OF_PRIVACY_OFFICER, "privacy-officer"));
  expect(await card(/^Privacy Requests 2 open.*1 overdue/)).toBeVisible();
});

test("of a moment of the past nothing is counted", async () => {
  signIn();
  renderRoutes(managementRoutes, "/management?as_of=2026-11-20T04:30:00Z", staff);
  expect(await card(/^Drivers ?Manage drivers/)).toBeVisible();
});
