interface SignInConfig {
  clientId: string;
  audience: string;
}

interface Auth0Config extends SignInConfig {
  /** Origin of a provider with Auth0's paths, e.g. `http://localhost:8080`. */
  domain: string;
  issuer?: never;
  scope?: never;
}

interface OpenIdConfig extends SignInConfig {
  /** As the provider's discovery document names it. */
  issuer: string;
  /** Further scopes. */
  scope?: string;
}

/** The settings of an installation. */
export interface RuntimeConfig {
  auth: Auth0Config | OpenIdConfig;
  /** Prefix of every product API path; empty when the APIs share the page's origin. */
  apiBase: string;
  /** The maximum number of rows of a list that is loaded completely; by default that of `shared/records`. */
  wholeUpTo?: number;
}

declare global {
  /** The request for `/config.json` that start.js has sent. */
  var fleetlogConfig: Promise<Response> | undefined;
}

let current: RuntimeConfig | undefined;

/**
 * Fetch `/config.json` before the first rendering, so that one build serves all installations.
 * @throws Error with a sentence for the operator when the file is missing or malformed.
 */
export async function loadRuntimeConfig(): Promise<RuntimeConfig> {
  // The server makes browsers revalidate the file.
  const response = await (globalThis.fleetlogConfig ?? fetch("/config.json"));
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
  const provider = auth?.issuer ?? auth?.domain;
  const needed = [provider, auth?.clientId, auth?.audience];
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
