import { vi } from "vitest";
import { storeSession } from "@/shared/auth/authStore";
import { setRuntimeConfig } from "@/shared/config/runtime";

/** The address of the tested product, and a dispatcher's access token. */
const { FLEETLOG_URL = "", FLEETLOG_TOKEN = "" } = process.env;

setRuntimeConfig({ auth: { domain: FLEETLOG_URL, clientId: "", audience: "" }, apiBase: FLEETLOG_URL });
storeSession({ id: "staff", sub: "staff" }, FLEETLOG_TOKEN, null);

// The runner of these tests sets its own time limit.
vi.setConfig({ testTimeout: 24 * 3_600_000 });

/** Cookies, kept as browsers do: they carry the position that reads must include. */
const cookies = new Map<string, string>();
const fetchWithout = globalThis.fetch;

globalThis.fetch = async (address, init) => {
  const headers = new Headers(init?.headers);
  headers.set("Cookie", [...cookies].map((cookie) => cookie.join("=")).join("; "));
  const response = await fetchWithout(address, { ...init, headers });
  for (const cookie of response.headers.getSetCookie()) {
    const [name = "", value = ""] = cookie.slice(0, cookie.indexOf(";")).split("=");
    cookies.set(name, value);
  }
  return response;
};
