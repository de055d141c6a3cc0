/** What a test says of a record, and after that whatever else its kind declares, blank. */
export function completed<T extends object>(told: Partial<T>, blank: unknown): T {
  return { ...told, ...(blank as T), ...told };
}
