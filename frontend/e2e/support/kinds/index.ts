import { drivers } from "./drivers";
import type { Kind } from "./kind";

export type { Kind, ListWords } from "./kind";

/** Every kind of record that is managed. */
export const kinds: readonly Kind[] = [drivers];
