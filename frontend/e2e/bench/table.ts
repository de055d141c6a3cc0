import { expect, signedInTest as test } from "../support/fixtures";
import { to } from "../support/records";
import { manyDrivers } from "./manyDrivers";
import { type Cost, costOf, installProbe } from "./probe";

/*
 * Prints what the drivers' list costs the browser with ROWS rows (10,000): the median of ROUNDS rounds (5),
 * on a main thread slowed down SLOWDOWN times (4: this machine as an office laptop).
 */
const rows = Number(process.env.ROWS ?? 10_000);
const rounds = Number(process.env.ROUNDS ?? 5);
const slowdown = Number(process.env.SLOWDOWN ?? 4);
const LIST = "/management/drivers";

test(`the drivers' list with ${rows} rows`, async ({ page }) => {
  const content = manyDrivers(rows);
  await page.route(to("/api/v1/drivers"), (route) => route.fulfill({ json: { content } }));
  await installProbe(page);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: slowdown });

  const search = page.getByRole("searchbox");
  const status = page.getByRole("status").filter({ hasText: /rows| of / });
  const type = (text: string, delay: number) => () => search.pressSequentially(text, { delay });
  const phases: Record<string, () => Promise<void>> = {
    "first render": async () => {
      await page.goto(LIST);
      await expect(status).toContainText("1–10 of");
    },
    // 60 ms between keys outruns the pause after which the search looks; 250 ms searches at every key.
    "typing fast": type("sharma 1", 60),
    "emptied by Escape": () => search.press("Escape"),
    "typing slowly": type("98765", 250),
    "deleting slowly": async () => {
      for (let left = 5; left > 0; left -= 1) {
        await search.press("Backspace");
        await page.waitForTimeout(250);
      }
    },
    "next page": () => page.getByRole("button", { name: "Next" }).click(),
    "another order": () => page.getByRole("columnheader", { name: "City" }).getByRole("button").click(),
  };

  const costs = new Map<string, Cost[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, phase] of Object.entries(phases)) {
      costs.set(name, [...(costs.get(name) ?? []), await costOf(page, phase)]);
    }
  }
  print(costs);
});

function print(costs: ReadonlyMap<string, readonly Cost[]>): void {
  const line = (name: string, ...cells: (string | number)[]) =>
    name.padEnd(20) + cells.map((cell) => String(cell).padStart(16)).join("");
  const figures = [...costs].map(([name, measured]) => {
    const median = (of: keyof Cost) => Math.round(middle(measured.map((cost) => cost[of])));
    return line(name, median("longestTask"), median("pressToPaint"), median("tableSettled"));
  });
  const title = `${rows} rows, median of ${rounds}, main thread ${slowdown}× slower, milliseconds`;
  const head = line("", "longest task", "press to paint", "table settled");
  process.stdout.write(`\n${[title, head, ...figures].join("\n")}\n\n`);
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
