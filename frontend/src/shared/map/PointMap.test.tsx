import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { expect, test, vi } from "vitest";
import { server } from "@/testing/server";

const kochi = { latitude: 9.9312, longitude: 76.2673 };

/** The module before any map data has been loaded. */
async function freshMap() {
  vi.resetModules();
  return (await import("./PointMap")).PointMap;
}

test("a map without data shows its point, and loads the data on retry", async () => {
  let isThere = false;
  server.use(http.get(/countries-\d+m\.json$/, () => (isThere ? undefined : HttpResponse.error())));
  const PointMap = await freshMap();
  render(<PointMap name="Kochi depot" place={kochi} />);
  const again = await screen.findByRole("button", { name: "Try Again" });
  expect(screen.getByText("Kochi depot")).toBeInTheDocument();
  isThere = true;
  await userEvent.click(again);
  expect(await screen.findByText("India", { selector: "text" })).toBeInTheDocument();
  expect(screen.queryByRole("button", { name: "Try Again" })).toBeNull();
});

test("each atlas is requested once, and the fine one only for large scales", async () => {
  const asked: string[] = [];
  server.use(
    http.get(/countries-(\d+m)\.json$/, ({ request }) => {
      asked.push(/\d+m/.exec(request.url)?.[0] ?? "");
    }),
  );
  const PointMap = await freshMap();
  render(<PointMap name="" place={undefined} onMove={() => undefined} />);
  render(<PointMap name="" place={undefined} onMove={() => undefined} />);
  await screen.findAllByText("Russia", { selector: "text" });
  expect(asked).toEqual(["110m"]);
  for (let step = 0; step < 2; step += 1) {
    await userEvent.click(screen.getAllByRole("button", { name: "Zoom in" })[0] as HTMLElement);
  }
  await vi.waitFor(() => expect(asked).toEqual(["110m", "50m"]));
});

test("a moved point stays in view", async () => {
  const PointMap = await freshMap();
  const { rerender } = render(<PointMap name="" place={kochi} onMove={() => undefined} />);
  const handle = screen.getByRole("slider");
  const middle = handle.getAttribute("style");
  rerender(<PointMap name="" place={{ latitude: -33.9, longitude: 18.4 }} onMove={() => undefined} />);
  expect(handle.getAttribute("style")).toBe(middle);
});

test("the help below a map is there before the map's code, so that nothing moves", async () => {
  vi.resetModules();
  const { PointMap } = await import(".");
  render(<PointMap name="" place={undefined} onMove={() => undefined} />);
  expect(screen.getByText("Loading the map...")).toBeVisible();
  expect(screen.getByText(/^Click on the map or drag the point/)).toBeVisible();
  await screen.findByRole("slider");
  expect(screen.getAllByText(/^Click on the map or drag the point/)).toHaveLength(1);
});
