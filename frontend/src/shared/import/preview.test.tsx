import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { batchServer } from "@/shared/batch/testing/batchServer";
import { horses } from "@/testing/kinds";
import { renderRoutes } from "@/testing/renderRoutes";
import { server } from "@/testing/server";
import { ImportPage } from "./ImportPage";
import { sessionOf } from "./session";
import { shipDefinition } from "./testing/kind";

test("a preview shows refused and changed rows first, and leaves selected rows out", async () => {
  batchServer("/api/v1/ships", { "S-1": { ship_name: "Asha", tons: 10 } });
  const path = shipDefinition.paths.import ?? "";
  const { user } = renderRoutes([{ path, element: <ImportPage definition={shipDefinition} /> }], path);
  const file = new File(["Hull Number,Ship,Tons\nS-2,Bela,20\nS-1,Asha,11\nS-3,,30"], "ships.csv");
  await user.upload(await screen.findByLabelText(/Choose a CSV/), file);
  await user.click(await screen.findByRole("button", { name: "Check 3 rows" }));
  await screen.findByRole("button", { name: "Import 2 rows" });
  const rows = () => within(screen.getByRole("table")).getAllByRole("row").slice(1);
  const [refused, changed, added] = rows();
  expect(refused).toHaveTextContent("Name is required");
  expect(changed).toHaveTextContent("S-1");
  expect(added).toHaveTextContent(/S-2.*New.*Bela/);

  await user.click(screen.getByRole("button", { name: "Select" }));
  await user.click(within(added as HTMLElement).getByRole("checkbox"));
  await user.click(screen.getByRole("button", { name: "Leave Out" }));
  await screen.findByRole("button", { name: "Import 1 row" });
  await user.click(screen.getByLabelText("Add new records only"));
  expect(screen.queryByRole("button", { name: /^Import/ })).toBeNull();
  expect(screen.getByText("Nothing would change.")).toBeVisible();
});

test("new rows that may duplicate a record are marked after the preview, in parts, and block nothing", async () => {
  batchServer("/api/v1/horses", {}, { name: "identifier", label: "Identifier" });
  const asked: number[] = [];
  server.use(
    http.post("*/api/v1/possible-duplicates", async ({ request }) => {
      const { rows } = (await request.json()) as { rows: { values: Record<string, string> }[] };
      asked.push(rows.length);
      const similar = { id: "HRS-9", name: "Prima 9", score: 0.97, exact: false, fields: [] };
      return HttpResponse.json({
        rows: rows.map(({ values }) => (values.identifier === "H 7" ? [similar] : [])),
      });
    }),
  );
  const path = horses.paths.import ?? "";
  const { user } = renderRoutes(horses.routes, path);
  const lines = Array.from({ length: 101 }, (_, at) => `C${at},E${at},H ${at}`);
  const file = new File([["Chassis Number,Engine Number,Identifier", ...lines].join("\n")], "horses.csv");
  await user.upload(await screen.findByLabelText(/Choose a CSV/), file);
  await user.click(await screen.findByRole("button", { name: "Check 101 rows" }));
  await user.click(await screen.findByRole("button", { name: "Show only Possible Duplicates" }));
  expect(screen.getByRole("button", { name: "Import 101 rows" })).toBeVisible();
  const [row, ...others] = within(screen.getByRole("table")).getAllByRole("row").slice(1);
  expect(others).toEqual([]);
  expect(row).toHaveTextContent("Possible duplicate of Prima 9 (HRS-9): very likely, 97 %");
  expect(screen.getByRole("link", { name: "Prima 9 (HRS-9)" })).toHaveAttribute("target", "_blank");
  await waitFor(() => expect(asked).toEqual([100, 1]));
  sessionOf(horses.definition as never).begin();
});
