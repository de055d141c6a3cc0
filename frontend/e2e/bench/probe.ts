import type { Page } from "@playwright/test";

/** What a phase cost the reader, in milliseconds. */
export interface Cost {
  /** The longest task of the main thread; tasks below 50 ms are not reported by the browser and count as 0. */
  longestTask: number;
  /** The slowest of all key presses or clicks: from the press until the frame that follows it is painted. */
  pressToPaint: number;
  /** From the last press (or, without one, from the list's arrival) until the table's last change is painted; 0 if it changed nothing. */
  tableSettled: number;
}

interface Recording {
  tasks: number[];
  presses: number[];
  lastPress: number;
  tablePainted: number;
}

declare global {
  interface Window {
    recording: Recording;
  }
}

/** Makes every page of this tab record what {@link costOf} reads. */
export async function installProbe(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.recording = { tasks: [], presses: [], lastPress: 0, tablePainted: 0 };
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.recording.tasks.push(duration);
    }).observe({ type: "longtask", buffered: true });

    const afterPaint = (then: () => void) => requestAnimationFrame(() => setTimeout(then));
    for (const type of ["keydown", "pointerdown"]) {
      const onPress = ({ timeStamp }: Event) => {
        window.recording.lastPress = timeStamp;
        afterPaint(() => window.recording.presses.push(performance.now() - timeStamp));
      };
      addEventListener(type, onPress, { capture: true });
    }
    const isInTable = (node: Node) => (node instanceof Element ? node : node.parentElement)?.closest("tbody");
    const bringsTable = (node: Node) => node instanceof Element && node.querySelector("tbody") !== null;
    new MutationObserver((mutations) => {
      const changed = mutations.some(
        ({ target, addedNodes }) => isInTable(target) || [...addedNodes].some(bringsTable),
      );
      if (!changed) return;
      afterPaint(() => {
        window.recording.tablePainted = performance.now();
      });
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
}

/** Longer than any of the tasks that a phase leaves behind. In milliseconds. */
const CALM = 1_500;

/** Runs one phase, waits until the page is calm, and says what it cost. */
export async function costOf(page: Page, phase: () => Promise<void>): Promise<Cost> {
  await page.evaluate(() => {
    // The first page of all has no recording yet.
    if (window.recording) Object.assign(window.recording, { tasks: [], presses: [], tablePainted: 0 });
  });
  await phase();
  await page.waitForTimeout(CALM);
  const { tasks, presses, lastPress, tablePainted, listArrived } = await page.evaluate(() => {
    const [answer] = performance.getEntriesByName(`${location.origin}/api/v1/drivers`);
    return { ...window.recording, listArrived: answer ? answer.startTime + answer.duration : 0 };
  });
  const start = presses.length > 0 ? lastPress : listArrived;
  return {
    longestTask: Math.max(0, ...tasks),
    pressToPaint: Math.max(0, ...presses),
    tableSettled: Math.max(0, tablePainted - start),
  };
}
