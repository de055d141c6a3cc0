import { useMemo } from "react";
import { useNow } from "@/shared/format/useNow";
import { dayIn } from "./expiry";

const MINUTE = 60_000;

/** Return noon of the reader's current day; it changes at midnight on a screen that stays open. */
export function useToday(): Date {
  const day = dayIn(0, new Date(useNow(MINUTE)));
  return useMemo(() => new Date(`${day}T12:00:00`), [day]);
}
