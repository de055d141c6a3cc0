import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@testing-library/react";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { clearAuth } from "@/shared/auth/authStore";
import { setRuntimeConfig } from "@/shared/config/runtime";
import { toast } from "@/shared/toast";
import { server } from "./server";

// Long, because the machine may run other suites.
configure({ asyncUtilTimeout: 30_000 });

beforeAll(() => {
  server.listen({ onUnhandledFrame: "error" });
  // jsdom lays nothing out.
  Object.assign(window, { matchMedia: () => new EventTarget(), scrollTo: () => undefined });
});

/** Timers of screens: Blueprint's popovers leave theirs running when they are unmounted while opening. */
const delays = new Set<ReturnType<typeof setTimeout>>();
const setTimeoutUncounted = globalThis.setTimeout;

beforeAll(() => {
  globalThis.setTimeout = new Proxy(setTimeoutUncounted, {
    apply(begin, self, args) {
      const delay = Reflect.apply(begin, self, args);
      delays.add(delay);
      return delay;
    },
  });
});

beforeEach(() => {
  setRuntimeConfig({
    auth: {
      domain: window.location.origin,
      clientId: "fleetlog-web",
      audience: "https://api.fleetlog.example",
    },
    apiBase: window.location.origin,
  });
});

afterEach(async () => {
  vi.useRealTimers();
  cleanup();
  // Pending requests must reach this test's handlers, not the next one's.
  await new Promise((resolve) => setTimeout(resolve));
  // Timers must not fire in another test, or in a file without a window.
  for (const delay of delays) clearTimeout(delay);
  delays.clear();
  server.resetHandlers();
  toast.clear();
  clearAuth();
  localStorage.clear();
  sessionStorage.clear();
});

afterAll(() => {
  globalThis.setTimeout = setTimeoutUncounted;
  server.close();
});
