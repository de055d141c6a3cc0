import { useRef } from "react";
import { ApiError } from "@/shared/api/client";
import { newUuid } from "@/shared/api/newUuid";

/** Sends values under an idempotency key. */
export type SendKeyed = (values: unknown, send: (key: string) => Promise<void>) => Promise<void>;

/**
 * Idempotency keys for one opened form: the same key for the same values, another for others. When an
 * answer got lost and the user saves the same values again, the server recognises the command by its key
 * and does not carry it out twice. A refusal is an answer, which the server would give under that key again:
 * whoever tries again after it means another command.
 */
export function useCommandKey(): SendKeyed {
  const last = useRef<{ values: string; key: string } | null>(null);
  return async (values, send) => {
    const text = JSON.stringify(values);
    if (last.current?.values !== text) last.current = { values: text, key: newUuid() };
    try {
      await send(last.current.key);
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) last.current = null;
      throw error;
    }
  };
}
