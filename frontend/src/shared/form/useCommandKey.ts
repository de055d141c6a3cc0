import { useRef } from "react";
import { ApiError } from "@/shared/api/client";
import { newUuid } from "@/shared/api/newUuid";

/** Sends values with an idempotency key. */
export type SendKeyed = <Answer>(values: unknown, send: (key: string) => Promise<Answer>) => Promise<Answer>;

/**
 * Idempotency keys of a form: the same values have the same key, so that a retry after a lost answer is not executed
 * twice. After a refusal, which is an answer, the same values get a new key.
 */
export function useCommandKey(): SendKeyed {
  const last = useRef<{ values: string; key: string } | null>(null);
  return async (values, send) => {
    const text = JSON.stringify(values);
    if (last.current?.values !== text) last.current = { values: text, key: newUuid().replaceAll("-", "") };
    try {
      return await send(last.current.key);
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) last.current = null;
      throw error;
    }
  };
}
