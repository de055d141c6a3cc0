import { screen, waitFor } from "@testing-library/react";
import { HttpResponse, http, type JsonBodyType } from "msw";
import { expect, test } from "vitest";
import { system } from "@/features/system/testing/system";
import { drivers } from "@/testing/kinds";
import { auditor, operator, staff } from "@/testing/permissions";
import { problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { server } from "@/testing/server";
import { routes } from "./routes";

/** The screens without gate and shell. */
const screens = routes[0]?.children?.[1]?.children ?? [];
const nothing = { content: [], next: null, page: { number: 0, totalElements: 0, totalPages: 0 } };
const SEEN = "/management/drivers/EMP-001?tab=seen";

test.each([
  ["/management/audit", auditor, "audit", nothing, "Failed to load the audit trail"],
  ["/management/audit?tab=access", auditor, "access-log", nothing, "Failed to load the access log"],
  [SEEN, auditor, "drivers/EMP-001/seen-by", nothing, "Failed to load who has seen this"],
  ["/management/system", operator, "system", system(), "Failed to load the system status"],
  [
    "/management/possible-duplicates",
    staff,
    "possible-duplicates",
    nothing,
    "Possible duplicates cannot be listed now",
  ],
])("%s reports a failure, which can be tried again", async (address, me, path, body, title) => {
  const api = `*/api/v1/${path}`;
  drivers.server([drivers.wire()]);
  server.use(
    http.get("*/api/v1/audit/days", () => HttpResponse.json(nothing)),
    http.get(api, () => problem(503, { detail: "The server starts." })),
  );
  const { user } = renderRoutes(screens, address, me);
  expect(await screen.findByText(title)).toBeVisible();
  server.use(http.get(api, () => HttpResponse.json(body as JsonBodyType)));
  await user.click(screen.getByRole("button", { name: "Try Again" }));
  await waitFor(() => expect(screen.queryByText(title)).toBeNull());
});
