import { z } from "@/shared/config/zod";
import { hasControls, NO_CONTROLS } from "@/shared/format/controls";

/** Characters that nobody sees and no calendar can have; see {@link hasControls}. */
const noControls = z.refine<string>((text) => !hasControls(text), NO_CONTROLS);

/** Text that must not be blank. Space around it is not kept. */
export function requiredText(message: string) {
  return z.string().check(z.trim(), z.minLength(1, message), noControls);
}

/** Text that may be empty. Space around it is not kept. */
export const optionalText = z.string().check(z.trim(), noControls);
