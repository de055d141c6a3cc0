// The small build: the full one would be a third of every form.
import * as z from "zod/mini";

// The content security policy forbids `eval`, which zod uses otherwise.
z.config({ jitless: true });

export { z };
