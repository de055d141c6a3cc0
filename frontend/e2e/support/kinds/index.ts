import { drivers } from "./drivers";
import { horses } from "./horses";
import type { Kind } from "./kind";
import { locations } from "./locations";
import { trailers } from "./trailers";

export type { Kind, ListWords } from "./kind";

/** Every kind of record that is managed. */
export const kinds: readonly Kind[] = [drivers, trailers, horses, locations];
