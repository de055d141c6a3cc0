import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { batchServer } from "@/shared/batch/testing/batchServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { ImportPage } from "./ImportPage";
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
