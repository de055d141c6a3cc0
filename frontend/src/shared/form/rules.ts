import { z } from "@/shared/config/zod";
import { hasControls, NO_CONTROLS } from "@/shared/format/controls";

/** Reject control characters; see {@link hasControls}. */
const noControls = z.refine<string>((text) => !hasControls(text), NO_CONTROLS);

/** Required text, trimmed. */
export function requiredText(message: string) {
  return z.string().check(z.trim(), z.minLength(1, message), noControls);
}

/** Optional text, trimmed. */
export const optionalText = z.string().check(z.trim(), noControls);
