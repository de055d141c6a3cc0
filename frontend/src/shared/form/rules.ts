import { z } from "@/shared/config/zod";

/** Text that must not be blank. Space around it is not kept. */
export function requiredText(message: string) {
  return z.string().check(z.trim(), z.minLength(1, message));
}

/** Text that may be empty. Space around it is not kept. */
export const optionalText = z.string().check(z.trim());
