import type { Client } from "./clients";
import { sampleClients } from "./sampleClients";

export interface ClientsQuery {
  /** Undefined until the first answer. */
  clients: readonly Client[] | undefined;
  /** Set while the last attempt failed. */
  error: unknown;
}

/** All clients; of the shape that a list from the server has. */
export function useClients(): ClientsQuery {
  return SAMPLES;
}

const SAMPLES: ClientsQuery = { clients: sampleClients, error: undefined };
