import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@testing-library/react";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { clearAuth } from "@/shared/auth/authStore";
import { setRuntimeConfig } from "@/shared/config/runtime";
import { toast } from "@/shared/toast";
import { server } from "./server";

// What is awaited comes when it comes: the machine may be busy with other suites.
configure({ asyncUtilTimeout: 30_000 });

beforeAll(() => server.listen({ onUnhandledFrame: "error" }));

/** Delays a screen has begun: Blueprint's popovers leave theirs behind when they are unmounted while opening. */
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
  cleanup();
  // What the screen has just asked for is answered by its own test's server, not by the next one's.
  await new Promise((resolve) => setTimeout(resolve));
  // None of its delays ends in another test, or in a file that has no window any more.
  for (const delay of delays) clearTimeout(delay);
  delays.clear();
  server.resetHandlers();
  toast.clear();
  clearAuth();
  localStorage.clear();
});

afterAll(() => {
  globalThis.setTimeout = setTimeoutUncounted;
  server.close();
});
