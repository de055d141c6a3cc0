/** The settings of an installation. */
export interface RuntimeConfig {
  auth: {
    /** Origin of the identity provider, e.g. `http://localhost:8080`. */
    domain: string;
    clientId: string;
    audience: string;
  };
  /** Prefix of every product API path; empty when the APIs share the page's origin. */
  apiBase: string;
  /** The maximum number of rows of a list that is loaded completely; by default that of `shared/records`. */
  wholeUpTo?: number;
}

let current: RuntimeConfig | undefined;

/**
 * Fetch `/config.json` before the first rendering, so that one build serves all installations.
 * @throws Error with a sentence for the operator when the file is missing or malformed.
 */
export async function loadRuntimeConfig(): Promise<RuntimeConfig> {
  // index.html preloads the file; the server makes browsers revalidate it.
  const response = await fetch("/config.json");
  if (!response.ok) throw new Error(`/config.json could not be loaded (status ${response.status}).`);
  const body: unknown = await response.json().catch(() => undefined);
  if (!isRuntimeConfig(body))
    throw new Error("/config.json is not usable: a setting is missing or not a string.");
  setRuntimeConfig(body);
  return body;
}

// Without zod, which would be part of the first load for this alone.
function isRuntimeConfig(body: unknown): body is RuntimeConfig {
  const { auth, apiBase } = (body ?? {}) as Partial<RuntimeConfig>;
  const needed = [auth?.domain, auth?.clientId, auth?.audience];
  return typeof apiBase === "string" && needed.every((text) => typeof text === "string" && text !== "");
}

export function runtimeConfig(): RuntimeConfig {
  if (!current) throw new Error("The runtime configuration was read before it was loaded.");
  return current;
}

/** Set the configuration, in tests. */
export function setRuntimeConfig(config: RuntimeConfig): void {
  current = config;
}
