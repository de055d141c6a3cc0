import { useRef } from "react";

/**
 * Idempotency keys for one opened form: the same key for the same values, another for others. When an
 * answer got lost and the user saves the same values again, the server recognises the command by its key
 * and does not carry it out twice.
 */
export function useCommandKey(): (values: unknown) => string {
  const last = useRef<{ values: string; key: string } | null>(null);
  return (values) => {
    const text = JSON.stringify(values);
    if (last.current?.values !== text) last.current = { values: text, key: newKey() };
    return last.current.key;
  };
}

/** `crypto.randomUUID` exists on secure origins only; a plain-http installation needs keys as well. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
