import { z } from "zod";

const runtimeConfigSchema = z.object({
  auth: z.object({
    /** Origin of the identity provider, e.g. `http://localhost:8080`. */
    domain: z.string().min(1),
    clientId: z.string().min(1),
    audience: z.string().min(1),
  }),
  /** Prefix of every product API path; empty when the APIs share the page's origin. */
  apiBase: z.string(),
});

export type RuntimeConfig = z.infer<typeof runtimeConfigSchema>;

let current: RuntimeConfig | undefined;

/**
 * Fetches `/config.json`, once, before anything is rendered: one build serves every installation.
 * @throws Error with a sentence for the operator when the file is missing or malformed.
 */
export async function loadRuntimeConfig(): Promise<RuntimeConfig> {
  const response = await fetch("/config.json", { cache: "no-store" });
  if (!response.ok) throw new Error(`/config.json could not be loaded (status ${response.status}).`);
  const body: unknown = await response.json().catch(() => undefined);
  const parsed = runtimeConfigSchema.safeParse(body);
  if (!parsed.success) throw new Error(`/config.json is not usable: ${z.prettifyError(parsed.error)}`);
  setRuntimeConfig(parsed.data);
  return parsed.data;
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
