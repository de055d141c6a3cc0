import { useRef } from "react";

export interface CommandKey {
  /** The key for sending these values: the same as last time if they are. */
  of: (values: unknown) => string;
  /** The command is done; the next one is another, even with the same values. */
  settle: () => void;
}

/**
 * Idempotency keys for a form. When an answer got lost and the user saves the same values again, the
 * server recognises the command by its key and does not carry it out twice.
 */
export function useCommandKey(): CommandKey {
  const last = useRef<{ values: string; key: string } | null>(null);
  return {
    of: (values) => {
      const text = JSON.stringify(values);
      if (last.current?.values !== text) last.current = { values: text, key: newKey() };
      return last.current.key;
    },
    settle: () => {
      last.current = null;
    },
  };
}

/** `crypto.randomUUID` exists on secure origins only; a plain-http installation needs keys as well. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
