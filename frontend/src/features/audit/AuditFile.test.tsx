import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, expect, test, vi } from "vitest";
import { answer } from "@/testing/answer";
import { historyServer, wireChange } from "@/testing/historyServer";
import { drivers } from "@/testing/kinds";
import { auditor, staff } from "@/testing/permissions";
import { problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { savedFiles } from "@/testing/savedFiles";
import { auditServer, changes } from "./testing/auditServer";
import { openAudit } from "./testing/openAudit";

let saved: ReturnType<typeof savedFiles>;

beforeEach(() => {
  auditServer(changes(2));
  saved = savedFiles();
});

/** The API, which answers as given; by default with a file of 1,234 changes that the test writes. */
function fileServer(reply?: () => Response) {
  const { readable, writable } = new TransformStream<Uint8Array>();
  const headers = {
    "Content-Type": "application/zip",
    "Content-Disposition": 'attachment; filename="fleetlog-audit-20261128T110500Z.zip"',
    ...{ "Fleetlog-Events": "1234", "Fleetlog-Expected-Bytes": "8000000", "Fleetlog-Not-Covered": "2" },
  };
  const file = answer("GET v1/audit/file", () => reply?.() ?? new HttpResponse(readable, { headers }));
  const asked = () => file.map(({ query }) => Object.fromEntries(query));
  return { asked, file: writable.getWriter() };
}

const dialog = () => within(screen.getByRole("dialog", { name: "Audit File" }));
const button = (name: string) => dialog().getByRole("button", { name });

async function openDialog(search = "", me = auditor) {
  const { user } = await openAudit(search, me);
  await screen.findByRole("region", { name: "Changes" });
  await user.click(screen.getByRole("button", { name: "Audit File" }));
  await screen.findByRole("dialog", { name: "Audit File" });
  return user;
}

test("a file of what the filters select is created with progress, and saved under the server's name", async () => {
  const { asked, file } = fileServer();
  const user = await openDialog("?entity=driver&id=EMP-001&from=2026-11-01T00:00:00Z&q=pune");
  expect(dialog().getByRole("combobox", { name: "Record type" })).toHaveValue("driver");
  expect(dialog().getByRole("textbox", { name: "Record ID" })).toHaveValue("EMP-001");
  expect(dialog().getByText(/filters do not apply to the file: Search\.$/)).toBeVisible();
  await user.selectOptions(dialog().getByRole("combobox", { name: "Person" }), "Rohan Gupta");
  await user.click(button("Create"));
  expect(button("Cancel")).toHaveFocus();
  expect(dialog().getByText("Preparing the file...")).toBeVisible();
  void file.write(new Uint8Array(2_000_000));
  expect(await dialog().findByText("Writing 1,234 changes...")).toBeVisible();
  expect(await dialog().findByText("2.0 MB of about 8.0 MB")).toBeVisible();
  expect(dialog().getByRole("progressbar", { name: "Progress" })).toHaveValue(0.25);
  expect(saved).toEqual([]);
  void file.close();
  const done = await dialog().findByText(/was downloaded: 1,234 changes, 2\.0 MB/);
  expect(done).toHaveTextContent("fleetlog-audit-20261128T110500Z.zip");
  expect(dialog().getByText(/fleetlog audit check/)).toBeVisible();
  expect(dialog().getByText(/2 newer changes are not sealed yet/)).toBeVisible();
  expect(saved).toMatchObject([{ name: "fleetlog-audit-20261128T110500Z.zip" }]);
  expect(asked()).toEqual([
    { entity: "driver", id: "EMP-001", actor: "dev|rohan", from: "2026-11-01T00:00:00Z" },
  ]);
  expect(button("Close")).toHaveFocus();
  await user.keyboard("{Enter}");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await waitFor(() => expect(screen.getByRole("button", { name: "Audit File" })).toHaveFocus());
});

test("personal data is revealed after a notice, for one file", async () => {
  const { asked, file } = fileServer();
  const user = await openDialog();
  await user.click(dialog().getByLabelText("With personal data"));
  expect(dialog().getByText(/are recorded in the access log/)).toBeVisible();
  await user.click(button("Record and create"));
  void file.close();
  await dialog().findByText(/was downloaded/);
  expect(asked()).toEqual([{ reveal: "true" }]);
  expect(dialog().getByLabelText("With personal data")).not.toBeChecked();
});

test("without the permission, personal data is not offered", async () => {
  await openDialog("", staff);
  expect(dialog().queryByLabelText("With personal data")).toBeNull();
});

test("a file that is being created can be cancelled, and nothing is saved", async () => {
  const { file } = fileServer();
  const user = await openDialog();
  await user.click(button("Create"));
  void file.write(new Uint8Array(5));
  await dialog().findByText("Writing 1,234 changes...");
  await user.click(button("Cancel"));
  await waitFor(() => expect(dialog().queryByRole("progressbar")).toBeNull());
  await expect(file.closed).rejects.toBeDefined();
  expect(dialog().queryByRole("alert")).toBeNull();
  expect(saved).toEqual([]);
  await user.click(button("Cancel"));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("an interrupted file is not saved, and can be created again", async () => {
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      stream = controller;
      controller.enqueue(new Uint8Array(5));
    },
  });
  // Not by the mock server, which does not pass errors of a stream on.
  const other = fetch;
  const answer = async (...asked: Parameters<typeof fetch>) =>
    String(asked[0]).includes("/audit/file") ? new Response(body) : await other(...asked);
  vi.stubGlobal("fetch", answer);
  const user = await openDialog();
  await user.click(button("Create"));
  await dialog().findByText("Writing 0 changes...");
  stream?.error(new TypeError("network error"));
  expect(await dialog().findByRole("alert")).toHaveTextContent(/interrupted.*nothing was saved/);
  expect(saved).toEqual([]);
  vi.stubGlobal("fetch", other);
  fileServer(() => new HttpResponse("PK"));
  await user.click(button("Create"));
  expect(await dialog().findByText(/was downloaded/)).toBeVisible();
  expect(dialog().queryByRole("alert")).toBeNull();
});

test.each([
  [403, { missing_permissions: ["personal:read"] }, "You need the personal:read permission"],
  [
    409,
    { type: "urn:fleetlog:problem:nothing-sealed", detail: "Nothing is sealed yet." },
    "Nothing is sealed yet.",
  ],
  [
    422,
    { validation_errors: [{ field: "to", message: "Must be after from", pointer: "" }] },
    "Must be after from",
  ],
  [429, { detail: "Two files are being made." }, "Two files are being made."],
  [503, { detail: "The log has not been sealed recently." }, "The log has not been sealed recently."],
])("a refusal with status %i says why", async (status, body, text) => {
  fileServer(() => problem(status, body));
  const user = await openDialog();
  await user.click(button("Create"));
  expect(await dialog().findByRole("alert")).toHaveTextContent(`No file was created. ${text}`);
});

test("a record's history offers a file of the record", async () => {
  const { asked, file } = fileServer();
  historyServer("/api/v1/drivers", "driver_by_pk", [{ change: wireChange(1), wire: drivers.wire() }]);
  const { user } = renderRoutes(drivers.routes, `${drivers.paths.list}/EMP-001?tab=history`);
  await user.click(await screen.findByRole("button", { name: "Audit File" }));
  expect(await screen.findByText("driver EMP-001")).toBeVisible();
  expect(dialog().queryByRole("combobox", { name: "Record type" })).toBeNull();
  await user.click(button("Create"));
  void file.close();
  await dialog().findByText(/was downloaded/);
  expect(asked()).toEqual([{ entity: "driver", id: "EMP-001" }]);
});
