import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderRoutes } from "@/testing/renderRoutes";
import { fleetRoutes } from "./routes";

test("the fleet's figures are those of the specification", async () => {
  renderRoutes(fleetRoutes, "/fleets");
  expect(await screen.findByRole("heading", { level: 1, name: "Fleet Management" })).toBeVisible();
  const cards = within(screen.getByLabelText("Summary"));
  const figures = ["Total Vehicles", "Active", "Maintenance", "Issues"].map(
    (label) => cards.getByText(label).nextElementSibling?.textContent,
  );
  expect(figures).toEqual(["24", "18", "4", "2"]);
});

test("the overview says which features are coming soon", async () => {
  renderRoutes(fleetRoutes, "/fleets");
  const overview = await screen.findByRole("region", { name: "Fleet Overview" });
  expect(overview).toHaveTextContent(
    "Detailed fleet features (vehicle tracking, maintenance schedules, fleet analytics) are coming soon.",
  );
});
