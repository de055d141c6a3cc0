/** What differs between installations. */
export interface RuntimeConfig {
  auth: {
    /** Origin of the identity provider, e.g. `http://localhost:8080`. */
    domain: string;
    clientId: string;
    audience: string;
  };
  /** Prefix of every product API path; empty when the APIs share the page's origin. */
  apiBase: string;
  /** Up to how many rows a list is loaded whole, where that is not as usual. */
  wholeUpTo?: number;
}

let current: RuntimeConfig | undefined;

/**
 * Fetches `/config.json`, once, before anything is rendered: one build serves every installation.
 * @throws Error with a sentence for the operator when the file is missing or malformed.
 */
export async function loadRuntimeConfig(): Promise<RuntimeConfig> {
  // index.html has it preloaded; the server forbids using an old one unasked
  const response = await fetch("/config.json");
  if (!response.ok) throw new Error(`/config.json could not be loaded (status ${response.status}).`);
  const body: unknown = await response.json().catch(() => undefined);
  if (!isRuntimeConfig(body)) throw new Error("/config.json is not usable: a setting is missing or no text.");
  setRuntimeConfig(body);
  return body;
}

// By hand: a schema library would be in the first load for this alone.
function isRuntimeConfig(body: unknown): body is RuntimeConfig {
  const { auth, apiBase } = (body ?? {}) as Partial<RuntimeConfig>;
  const needed = [auth?.domain, auth?.clientId, auth?.audience];
  return typeof apiBase === "string" && needed.every((text) => typeof text === "string" && text !== "");
}

/** The loaded configuration; reading it before it is loaded is a programming error. */
export function runtimeConfig(): RuntimeConfig {
  if (!current) throw new Error("The runtime configuration is read before it is loaded.");
  return current;
}

/** Sets the configuration without a fetch: for tests. */
export function setRuntimeConfig(config: RuntimeConfig): void {
  current = config;
}
