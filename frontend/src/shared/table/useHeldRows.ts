import { useState } from "react";
import { useLocation } from "react-router";
import { rowsQuery } from "./useAddressParams";

/**
 * Keep a value, such as the rows in view, until the list is searched, filtered or sorted in another way.
 * @param page also let go on another page, where one is named.
 */
export function useHeldRows<T>(page?: number): readonly [T | undefined, (value: T | undefined) => void] {
  const query = `${page} ${rowsQuery(useLocation().search)}`;
  const [held, setHeld] = useState<{ query: string; value: T | undefined }>();
  if (held !== undefined && held.query !== query) setHeld(undefined);
  return [held?.query === query ? held.value : undefined, (value) => setHeld({ query, value })];
}
