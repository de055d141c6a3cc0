import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, type JsonBodyType } from "msw";
import { expect, test } from "vitest";
import type { Pair } from "@/shared/duplicates/duplicates";
import type { RecordDefinition } from "@/shared/records";
import { answer } from "@/testing/answer";
import { drivers, horses, locations } from "@/testing/kinds";
import { clerk, meWith, staff } from "@/testing/permissions";
import { asha, etagOf, problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { rows } from "@/testing/screens";
import { DUPLICATES_PATH, duplicateRoutes } from "./routes";

const ravi: Pair = {
  type: "driver",
  first: { id: "EMP-001", name: "Ravi Kumar" },
  second: { id: "EMP-002", name: "Ravi Kumr" },
  score: 0.934,
  exact: false,
  fields: [
    { name: "name", first: "Ravi Kumar", second: "Ravi Kumr", likeness: 0.95 },
    { name: "father_name", first: "Mohan", second: "Mohan", likeness: 1 },
    { name: "email_address", first: "ravi@example.com", second: "office@example.com", likeness: 0.3 },
  ],
  dismissed: null,
};
const horse: Pair = {
  ...{ type: "horse", score: 1, exact: true, dismissed: null },
  first: { id: "HRS-1", name: null },
  second: { id: "HRS-2", name: null },
  fields: [{ name: "chassis_number", first: "MAT O1", second: "MAT 01", likeness: 1 }],
};

/** A mock of the API, with the requests for pages and the dismissals sent. */
function pairServer(...all: Pair[]) {
  const asked = answer("GET v1/possible-duplicates", ({ query }) => {
    const [number, size] = [Number(query.get("page")), Number(query.get("size"))];
    const found = all
      .filter(({ type }) => type === query.get("type"))
      .filter(({ dismissed }) => String(dismissed !== null) === query.get("dismissed"));
    const content = found.slice(number * size, (number + 1) * size);
    return {
      content,
      page: { number, totalElements: found.length, totalPages: Math.ceil(found.length / size) },
    };
  });
  const sent = answer("POST v1/drivers/:id/dismissals", ({ body, reason }) => {
    const isDismissed = (body as { dismissed: boolean }).dismissed;
    const dismissed = isDismissed ? { moment: "2026-11-27T09:30:00Z", actor: asha, reason } : null;
    all = all.map((one) => (one.type === "driver" ? { ...one, dismissed } : one));
    return null;
  });
  return { asked, sent };
}

const kinds = [drivers, horses, locations].map(
  ({ definition }) => definition,
) as unknown as RecordDefinition[];
const open = (query = "", me = staff) =>
  renderRoutes(
    duplicateRoutes(async () => kinds),
    DUPLICATES_PATH + query,
    me,
  );
const pair = () => screen.findByRole("listitem", { name: "Ravi Kumar and Ravi Kumr" });

test("a page after the last one, whose pairs were merged, leads to the last one", async () => {
  pairServer(ravi);
  const { here } = open("?page=3");
  expect(await pair()).toBeVisible();
  expect(here()).toBe(DUPLICATES_PATH);
});

test("a pair is shown with its score, both records, and each compared field", async () => {
  pairServer(ravi, horse);
  const { user, here } = open();
  expect(await pair()).toHaveTextContent("Likely, 93 %");
  expect(rows()).toEqual([
    ["Similar, 95 %", "Ravi Kumar", "Ravi Kumr"],
    ["Same", "Mohan", "Mohan"],
    ["Different", "ravi@example.com", "office@example.com"],
  ]);
  expect(screen.getAllByRole("rowheader").map(({ textContent }) => textContent)).toEqual([
    ...["Driver Name", "Father's Name", "Email"],
  ]);
  const record = within(await pair()).getByRole("link", { name: "Ravi Kumr" });
  expect(record).toHaveAttribute("href", "/management/drivers/EMP-002");

  await user.click(screen.getByRole("tab", { name: "Horses" }));
  expect(await screen.findByRole("listitem", { name: "HRS-1 and HRS-2" })).toHaveTextContent(
    /Same unique value, 100 %.*Chassis Number.*Same/,
  );
  expect(here()).toBe(`${DUPLICATES_PATH}?type=horse`);
  expect(screen.queryByRole("tab", { name: "Locations" })).toBeNull();
});

test("a pair is dismissed with a reason, and listed again", async () => {
  const { sent } = pairServer(ravi);
  const { user } = open();
  await user.click(await screen.findByRole("button", { name: "Dismiss… Ravi Kumar and Ravi Kumr" }));
  const dialog = await screen.findByRole("dialog", { name: "Dismiss Possible Duplicate" });
  await user.click(within(dialog).getByRole("button", { name: "Dismiss" }));
  expect(within(dialog).getByText("Enter a reason.")).toBeVisible();
  await user.type(within(dialog).getByLabelText(/^Reason/), "Two brothers");
  await user.click(within(dialog).getByRole("button", { name: "Dismiss" }));
  expect(await screen.findByText("No possible duplicates")).toBeVisible();
  expect(screen.getByRole("button", { name: "Undo: Dismissed Ravi Kumar and Ravi Kumr" })).toBeVisible();

  await user.selectOptions(screen.getByLabelText("Show"), "Dismissed");
  expect(await screen.findByText(/Dismissed by Asha Rao, .*: Two brothers/)).toBeVisible();
  expect(screen.queryByRole("button", { name: /^Merge/ })).toBeNull();
  await user.click(screen.getByRole("button", { name: "List again: Ravi Kumar and Ravi Kumr" }));
  expect(await screen.findByText("Nothing dismissed")).toBeVisible();
  const path = "/api/v1/drivers/EMP-001/dismissals";
  expect(sent).toMatchObject([
    { path, body: { other: "EMP-002", dismissed: true }, reason: "Two brothers" },
    { path, body: { other: "EMP-002", dismissed: false }, reason: "" },
  ]);
});

test("a refused dismissal keeps the dialog and its reason", async () => {
  pairServer(ravi);
  answer("POST v1/drivers/:id/dismissals", () => problem(503));
  const { user } = open();
  await user.click(await screen.findByRole("button", { name: /^Dismiss… Ravi/ }));
  await user.type(await screen.findByLabelText(/^Reason/), "Two brothers");
  await user.click(screen.getByRole("button", { name: "Dismiss" }));
  expect(await screen.findByText("Failed to dismiss")).toBeVisible();
  expect(screen.getByLabelText(/^Reason/)).toHaveValue("Two brothers");
});

test("pages follow the address", async () => {
  const many = Array.from({ length: 45 }, (_, at) => ({ ...ravi, first: { id: `EMP-${at}`, name: null } }));
  const { asked } = pairServer(...many);
  const { user, here } = open("?page=2");
  await user.click(await screen.findByRole("button", { name: "Next" }));
  expect(await screen.findByText(/Page 3 of 3/)).toBeVisible();
  expect(screen.getByRole("button", { name: "Next" })).toBeDisabled();
  expect(here()).toBe(`${DUPLICATES_PATH}?page=3`);
  expect(String(asked.at(-1)?.query)).toBe("type=driver&dismissed=false&page=2&size=20");
});

test("without personal:read, drivers are refused in words, and horses are listed without actions", async () => {
  const { asked } = pairServer(ravi, horse);
  const { user } = open("", meWith(["fleet:read"], "analyst"));
  expect(await screen.findByText(/You need the personal:read permission to see possible/)).toBeVisible();
  expect(asked).toEqual([]);
  await user.click(screen.getByRole("tab", { name: "Horses" }));
  expect(await screen.findByRole("listitem", { name: "HRS-1 and HRS-2" })).toBeVisible();
  expect(screen.queryByRole("button", { name: /^(Merge|Dismiss)/ })).toBeNull();
});

test("merging from the report needs fleet:remove, and removes the pair", async () => {
  pairServer(ravi);
  const { unmount } = open("", clerk);
  expect(await screen.findByRole("button", { name: /^Dismiss… Ravi/ })).toBeVisible();
  expect(screen.queryByRole("button", { name: /^Merge… Ravi/ })).toBeNull();
  unmount();

  drivers.server([drivers.wire(), drivers.wire({ id: "EMP-002", name: "Ravi Kumr" })]);
  const sent = answer("POST v1/drivers/EMP-001/merges", () => {
    pairServer();
    const headers = { ETag: etagOf(2), "Fleetlog-Version": "2" };
    return HttpResponse.json({ driver_by_pk: drivers.wire() } as JsonBodyType, { headers });
  });
  const { user } = open();
  await user.click(await screen.findByRole("button", { name: "Merge… Ravi Kumar and Ravi Kumr" }));
  expect(await screen.findByText("EMP-001 stays as it is.")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Merge" }));
  expect(await screen.findByText("No possible duplicates")).toBeVisible();
  expect(sent[0]?.body).toEqual({ from: "EMP-002", version: 1, values: {} });
  await waitFor(() => expect(screen.getByText("EMP-002 was merged into Ravi Kumar.")).toBeVisible());
  expect(screen.getByRole("button", { name: /^Undo: Drivers Merged/ })).toBeVisible();
});
