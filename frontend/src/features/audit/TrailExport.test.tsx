import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, expect, test, vi } from "vitest";
import { savedFiles } from "@/testing/savedFiles";
import { auditServer, changes } from "./testing/auditServer";
import { openAudit } from "./testing/openAudit";

const button = (name: string) => screen.getByRole("button", { name });
let saved: ReturnType<typeof savedFiles>;

beforeEach(() => {
  saved = savedFiles();
});

/** The API, which answers exports with one line. */
function exportServer() {
  const server = auditServer(changes(1));
  server.answer((query) =>
    query.has("format")
      ? new HttpResponse("position\r\n", {
          headers: {
            "Content-Type": "text/csv; charset=utf-8",
            "Content-Disposition": `attachment; filename="fleetlog-audit.${query.get("format")}"`,
          },
        })
      : undefined,
  );
  const exports = () =>
    server.asked.filter((query) => query.has("format")).map((query) => Object.fromEntries(query));
  return { ...server, exports };
}

test.each(["csv", "ndjson"])("what the filters let through is downloaded as %s, masked", async (format) => {
  const server = exportServer();
  const { user } = await openAudit("?entity=driver&field=attributes.city");
  await user.click(button(`Download ${format.toUpperCase()}`));
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]?.name).toBe(`fleetlog-audit.${format}`);
  expect(saved[0]?.content.size).toBe("position\r\n".length);
  expect(server.exports()).toEqual([{ order: "desc", format, entity: "driver", field: "attributes" }]);
  expect(await screen.findByText("Audit trail downloaded")).toBeVisible();
});

test("a download with personal data is confirmed, logged, and masked again afterwards", async () => {
  const server = exportServer();
  const { user } = await openAudit();
  await user.click(screen.getByLabelText("With personal data"));
  await user.click(button("Download CSV"));
  const dialog = within(await screen.findByRole("alertdialog"));
  expect(dialog.getByText(/are recorded in the access log/)).toBeVisible();
  expect(server.exports()).toEqual([]);
  await user.click(dialog.getByRole("button", { name: "Record and download CSV" }));
  await waitFor(() => expect(server.exports()).toEqual([{ order: "desc", format: "csv", reveal: "true" }]));
  expect(screen.getByLabelText("With personal data")).not.toBeChecked();
});

test("all changes that the filters let through are printed with their values", async () => {
  vi.spyOn(window, "print").mockImplementation(() => {});
  const server = auditServer(changes(501));
  const { user } = await openAudit("?entity=driver");
  await user.click(button("Print"));
  const printed = within(await screen.findByRole("article", { name: "Audit Trail" }));
  expect(printed.getByText("Record type: Driver")).toBeInTheDocument();
  const rows = [...document.querySelectorAll("article tr")].map(({ textContent }) => textContent);
  expect(rows).toHaveLength(502);
  expect(rows[1]).toMatch(/Asha Rao.*Changed.*Driver Ravi Kumar EMP-001.*City.*City 500.*City 501/);
  await waitFor(() => expect(window.print).toHaveBeenCalledOnce());
  expect(server.asked.filter((query) => query.get("limit") === "500")).toHaveLength(2);
});

test("a long download shows its progress and can be cancelled", async () => {
  const server = auditServer(changes(1));
  const endless = new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(2_345_678)) });
  server.answer((query) => (query.has("format") ? new HttpResponse(endless) : undefined));
  const { user } = await openAudit();
  await user.click(button("Download CSV"));
  expect(button("Downloading...")).toHaveAttribute("aria-busy", "true");
  expect(await screen.findByText("2.3 MB")).toBeVisible();
  await user.click(button("Cancel"));
  expect(await screen.findByRole("button", { name: "Download CSV" })).toBeVisible();
  expect(screen.queryByText("Failed to download the audit trail")).toBeNull();
  expect(saved).toEqual([]);
});
