import { afterEach, expect, test, vi } from "vitest";
import { announceSignOut, onSignOutElsewhere } from "./otherTabs";

const PATIENCE = { timeout: 30_000 };
const otherTab = new BroadcastChannel("fleetlog-session");

afterEach(() => {
  otherTab.onmessage = null;
});

test("a sign-out elsewhere is heard until one stops listening", async () => {
  const heard = vi.fn();
  const stop = onSignOutElsewhere(heard);
  otherTab.postMessage("signed-out");
  await vi.waitFor(() => expect(heard).toHaveBeenCalledOnce(), PATIENCE);
  stop();
});

test("one's own sign-out is heard by the other tabs only", async () => {
  const heardHere = vi.fn();
  const heardThere = vi.fn();
  const stop = onSignOutElsewhere(heardHere);
  otherTab.onmessage = heardThere;
  announceSignOut();
  await vi.waitFor(() => expect(heardThere).toHaveBeenCalledOnce(), PATIENCE);
  expect(heardHere).not.toHaveBeenCalled();
  stop();
});
