import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { trailers } from "@/testing/kinds";
import { masked } from "@/testing/masked";
import { unprivileged } from "@/testing/permissions";
import { renderRoutes } from "@/testing/renderRoutes";
import { cells } from "@/testing/screens";

/* Trailers without personal:read: owner and free texts are masked. */

const IN_LISTS = trailers.personal;
const PERSONAL = IN_LISTS.filter((name) => name in trailers.wire());
const trailer = masked(trailers.wire(), PERSONAL as never[]);

test.each([
  ["as the list has them", masked(trailers.listed(), IN_LISTS as never[])],
  ["as they have just been saved", trailer],
])("values derived from masked fields are masked, %s", async (_, wire) => {
  trailers.server([wire]);
  renderRoutes(trailers.routes, "/management/trailers", unprivileged);
  expect(cells(await screen.findByRole("row", { name: /TR-001/ }))).toEqual([
    "TR-001",
    "MH31AB1234",
    "Low Bed",
    "40",
    "Available",
    "Hidden",
    "Hidden",
    "Hidden",
    "",
  ]);
  expect(
    screen.getByPlaceholderText("Search trailers by identifier, registration number, type..."),
  ).toBeVisible();
});

test("changes to other fields are saved without the masked ones", async () => {
  const api = trailers.server([trailer]);
  const { user } = renderRoutes(trailers.routes, "/management/trailers/edit/TR-001", unprivileged);
  const status = await screen.findByLabelText("Status");
  expect(screen.queryByLabelText("Owner Name")).toBeNull();
  await user.clear(status);
  await user.type(status, "In Use");
  await user.click(screen.getByRole("button", { name: "Save Changes" }));
  expect(await screen.findByText("Trailer Updated")).toBeVisible();
  const [{ body } = { body: {} }] = api.sent("PUT");
  expect(body).toMatchObject({ identifier: "LB-001", status: "In Use" });
  expect(Object.keys(body as object).filter((name) => name === "masked" || PERSONAL.includes(name))).toEqual(
    [],
  );
});

test("a concurrent change is merged without the masked fields", async () => {
  const api = trailers.server([trailer]);
  const { user } = renderRoutes(trailers.routes, "/management/trailers/edit/TR-001", unprivileged);
  const status = await screen.findByLabelText("Status");
  api.change("TR-001", { axles: 4 });
  await user.clear(status);
  await user.type(status, "In Use");
  await user.click(screen.getByRole("button", { name: "Save Changes" }));
  expect(await screen.findByText("Merged with newer changes")).toBeVisible();
  expect(api.record("TR-001")).toMatchObject({ status: "In Use", axles: 4 });
});

test("a trailer deleted elsewhere can be added again with the masked values typed in", async () => {
  const api = trailers.server([trailer]);
  const { user } = renderRoutes(trailers.routes, "/management/trailers/edit/TR-001", unprivileged);
  await screen.findByLabelText("Status");
  api.delete("TR-001");
  await user.click(screen.getByRole("button", { name: "Save Changes" }));
  await user.type(await screen.findByLabelText("Owner Name"), "Buch");
  await user.click(screen.getByRole("button", { name: "Add Trailer" }));
  await waitFor(() => expect(api.sent("POST")).toHaveLength(1));
  expect(api.sent("POST")[0]?.body).toMatchObject({ owner_name: "Buch", identifier: "LB-001" });
});
