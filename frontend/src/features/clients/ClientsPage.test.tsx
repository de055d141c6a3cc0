import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderRoutes } from "@/testing/renderRoutes";
import { sampleClients } from "./clients";
import { clientsRoutes } from "./routes";

const open = (search = "") => renderRoutes(clientsRoutes, `/management/clients${search}`);
const names = () => screen.queryAllByRole("heading", { level: 2 }).map(({ textContent }) => textContent);
const card = async (name: string) => {
  const heading = await screen.findByRole("heading", { level: 2, name });
  return within(heading.closest("li") as HTMLElement);
};

test("every client has a card with all that is known of it", async () => {
  open();
  const konkan = await card("Konkan Cement Works");
  expect(screen.getByText("Sample data")).toBeVisible();
  const facts = konkan.getAllByRole("definition").map(({ textContent }) => textContent?.trim());
  expect(konkan.getByText("CLT-002")).toBeVisible();
  expect(facts).toEqual([
    "Rajesh Sawant",
    "dispatch@konkancement.example",
    "+91 98190 62314",
    "Navi Mumbai",
    "Survey 88, Taloja Industrial Area",
    "20 Jan 2022",
    "142",
    "₹35,00,000",
    expect.stringMatching(/^₹31,20,000/),
  ]);
  expect(names()).toEqual(sampleClients.map(({ companyName }) => companyName));
});

test.each([
  ["company", "KONKAN", "Konkan Cement Works"],
  ["contact person", "syed", "Charminar Electronics"],
  ["email", "nisha.patel@", "Sabarmati Pharmaceuticals"],
  ["city", "ludhiana", "Doaba Food Grains"],
])("the search finds by %s", async (_, text, name) => {
  open(`?q=${encodeURIComponent(text)}`);
  await card(name);
  expect(names()).toEqual([name]);
});

test("the search ignores other fields, reports no results, and can be cleared", async () => {
  const { user, here } = open();
  await user.type(await screen.findByRole("searchbox"), "CLT-002");
  expect(await screen.findByText("No clients found matching your search.")).toBeVisible();
  await waitFor(() => expect(here()).toBe("/management/clients?q=CLT-002"));
  await user.click(screen.getByRole("button", { name: "Clear search" }));
  await card("Konkan Cement Works");
  await waitFor(() => expect(here()).toBe("/management/clients"));
  expect(screen.getByRole("searchbox")).toHaveFocus();
});

test.each([
  ["Deccan Steel & Alloys Ltd", "Active", "bp6-intent-primary"],
  ["Bengal Jute & Textiles", "Inactive", "bp6-minimal"],
  ["Vaigai Auto Components", "Pending", "outline"],
  ["Aravalli Marble Traders", "Suspended", "bp6-intent-danger"],
])("%s is %s, which looks %s", async (name, status, look) => {
  open();
  expect((await card(name)).getByText(status).parentElement?.className).toContain(look);
});

test("a warning is shown above 80 % of the credit limit, not at exactly 80 %", async () => {
  open();
  const warned = (await screen.findAllByTitle("Above 80% of the credit limit")).map(
    (sign) => sign.closest("li")?.querySelector("h2")?.textContent,
  );
  expect(warned).toEqual(["Konkan Cement Works", "Aravalli Marble Traders", "Malabar Spice Company"]);
});

test("no button leads anywhere yet", async () => {
  const { user, here } = open();
  const konkan = await card("Konkan Cement Works");
  for (const button of [
    konkan.getByRole("button", { name: /^View Profile/ }),
    konkan.getByRole("button", { name: /^New Booking/ }),
    screen.getByRole("button", { name: "Add New Client" }),
  ]) {
    await user.click(button);
  }
  await waitFor(() => expect(here()).toBe("/management/clients"));
  expect(names()).toHaveLength(sampleClients.length);
});
