import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { initials } from "@/shared/format/initials";
import { renderRoutes } from "@/testing/renderRoutes";
import { subcontractorsRoutes } from "./routes";
import { sampleSubcontractors } from "./subcontractors";

const open = (search = "") => renderRoutes(subcontractorsRoutes, `/management/subcontractors${search}`);
const names = () => screen.queryAllByRole("heading", { level: 2 }).map(({ textContent }) => textContent);
const card = async (name: string) => {
  const heading = await screen.findByRole("heading", { level: 2, name });
  return within(heading.closest("li") as HTMLElement);
};

test("every subcontractor has a card with all that is known of it", async () => {
  open();
  const fatima = await card("Fatima Sheikh");
  expect(screen.getByText("Sample data")).toBeVisible();
  expect(fatima.getByText("FS")).toBeVisible();
  expect(fatima.getByText("Nhava Sheva Container Lines")).toBeVisible();
  expect(fatima.getByText("Active")).toBeVisible();
  expect(fatima.getAllByRole("definition").map(({ textContent }) => textContent)).toEqual([
    "4.8",
    "Container Transport",
    "fatima@nhavacontainer.example",
    "+91 98200 91834",
    "Navi Mumbai, Maharashtra",
    "₹1,23,00,000",
    "478",
  ]);
  expect(names()).toEqual(sampleSubcontractors.map(({ name }) => name));
});

test.each([
  ["Fatima Sheikh", 4.8, 5],
  ["Abdul Rahman Khan", 4.2, 4],
  ["Debashish Das", 2.7, 3],
])("the rating of %s, %d, shows five star icons, %d of them full", async (name, rating, full) => {
  open();
  const shown = (await card(name)).getByRole("img", { name: `${rating} of 5 stars` });
  const looks = [...shown.querySelectorAll("[data-star]")].map((star) => star.getAttribute("data-star"));
  expect(looks).toEqual([...Array(full).fill("full"), ...Array(5 - full).fill("empty")]);
});

test.each([
  ["Abdul Rahman Khan", "AR"],
  ["  ritu   sharma ", "RS"],
  ["Ritu", "R"],
  ["", ""],
])("the initials of %o are %o", (name, letters) => {
  expect(initials(name)).toBe(letters);
});

test.each([
  ["name", "GURPREET", "Gurpreet Singh"],
  ["company", "cold chain", "Karthik Subramanian"],
  ["specialization", "liquid", "Bhavesh Solanki"],
])("the search finds by %s", async (_, text, name) => {
  open(`?q=${encodeURIComponent(text)}`);
  await card(name);
  expect(names()).toEqual([name]);
});

test("the search ignores other fields and reports no results", async () => {
  open("?q=Jamnagar");
  expect(await screen.findByText("No subcontractors found matching your search.")).toBeVisible();
  expect(names()).toEqual(["No subcontractors found matching your search."]);
});
