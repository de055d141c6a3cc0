import { screen, within } from "@testing-library/react";
import fc from "fast-check";
import { expect, test } from "vitest";
import { renderRoutes } from "@/testing/renderRoutes";
import { subcontractorsRoutes } from "./routes";
import { sampleSubcontractors } from "./sampleSubcontractors";
import { fullStars, initialsOf } from "./subcontractors";

const open = (search = "") => renderRoutes(subcontractorsRoutes, `/management/subcontractors${search}`);
const names = () => screen.queryAllByRole("heading", { level: 2 }).map(({ textContent }) => textContent);
const card = async (name: string) => {
  const heading = await screen.findByRole("heading", { level: 2, name });
  return within(heading.closest("li") as HTMLElement);
};

test("every subcontractor has a card with all that is known of it", async () => {
  open();
  const fatima = await card("Fatima Sheikh");
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

test("a rating of 4.8 shows five star icons, four of them full", async () => {
  open();
  const stars = (await card("Fatima Sheikh")).getByRole("img", { name: "4 of 5 stars" });
  const looks = [...stars.children].map((star) => star.getAttribute("data-star"));
  expect(looks).toEqual(["full", "full", "full", "full", "empty"]);
});

test("stars are whole, never more than the rating, and never more than five", () => {
  fc.assert(
    fc.property(fc.double({ min: -1, max: 7, noNaN: true }), (rating) => {
      const stars = fullStars(rating);
      const within = Math.min(5, Math.max(0, rating));
      expect(Number.isInteger(stars)).toBe(true);
      expect(within - stars).toBeGreaterThanOrEqual(0);
      expect(within - stars).toBeLessThan(1);
    }),
  );
});

test.each([
  ["Abdul Rahman Khan", "AR"],
  ["  ritu   sharma ", "RS"],
  ["Ritu", "R"],
  ["", ""],
])("the initials of %o are %o", (name, initials) => {
  expect(initialsOf(name)).toBe(initials);
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

test("the search looks at nothing else, and says when it finds nothing", async () => {
  open("?q=Jamnagar");
  expect(await screen.findByText("No subcontractors found matching your search.")).toBeVisible();
  expect(names()).toEqual(["No subcontractors found matching your search."]);
});

test("no button leads anywhere or takes anything away yet", async () => {
  const { user, here } = open();
  await card("Fatima Sheikh");
  for (const name of ["Edit Fatima Sheikh", "Remove Fatima Sheikh", "Add Subcontractor"]) {
    await user.click(screen.getByRole("button", { name }));
  }
  expect(here()).toBe("/management/subcontractors");
  expect(names()).toHaveLength(sampleSubcontractors.length);
});
