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
  server.resetHandlers();
  toast.clear();
  clearAuth();
  localStorage.clear();
});

afterAll(() => server.close());
