import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { inDays, type PrivacyRequest } from "@/shared/privacy/status";
import { pathsBelow, type RecordDefinition } from "@/shared/records";
import { answer } from "@/testing/answer";
import { officer } from "@/testing/permissions";
import { restricted } from "@/testing/privacyServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { privacyRoutes, REQUESTS_PATH } from "./routes";

/** The real ones belong to other features. */
const driver = { api: { noun: "driver" }, paths: pathsBelow("/management/drivers") } as RecordDefinition;

function request(differences: Partial<PrivacyRequest> = {}): PrivacyRequest {
  const { events, in_the_clear, fields, ...asked } = restricted();
  return { ...asked, state: "restricted", version: null, ...differences };
}

function requestServer(...content: readonly PrivacyRequest[]): void {
  answer("GET v1/privacy/requests", () => ({ content }));
}

const open = () =>
  renderRoutes(
    privacyRoutes(async () => [driver]),
    REQUESTS_PATH,
    officer,
  );
const rows = async () =>
  within(await screen.findByRole("table", { name: "Privacy requests" }))
    .getAllByRole("row")
    .slice(1);

test("open requests are listed with their due dates and link to the record's tab", async () => {
  requestServer(
    request({ due: inDays(-2) }),
    request({ id: "HRS-1", entity: "horse", due: inDays(0), hold_until: inDays(5), basis: "unlawful" }),
    request({
      ...{ id: "EMP-009", state: "erased", version: 7, receipt: true, erased_at: "2026-11-21T04:10:45Z" },
      asked_by: { sub: "dev|asha", name: null },
    }),
  );
  const { user, here } = open();
  const [first, second, ...others] = await rows();
  expect(others).toEqual([]);
  expect(first).toHaveTextContent(
    /^Driver EMP-001RestrictedRequested by the person.*Asha Rao.*2 days overdue/,
  );
  expect(second).toHaveTextContent(/^Horse HRS-1RestrictedLegal holdUnlawfully held.*today/);
  expect(within(first as HTMLElement).getByRole("link")).toHaveAttribute(
    "href",
    "/management/drivers/EMP-001?tab=privacy",
  );
  await user.selectOptions(screen.getByLabelText("Show"), "All (3)");
  expect((await rows())[2]).toHaveTextContent(/^Driver EMP-009Erased21 Nov 2026.*dev\|asha Name erased/);
  expect(here()).toBe(`${REQUESTS_PATH}?show=all`);
});

test.each([
  ["open requests", [request({ state: "erased", version: 7 })], "No open requests"],
  ["requests", [], "No privacy requests"],
])("without %s, the screen says so", async (_, requests, title) => {
  requestServer(...requests);
  open();
  expect(await screen.findByRole("heading", { name: title })).toBeVisible();
});
