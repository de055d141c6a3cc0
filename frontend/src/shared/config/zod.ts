// The small build: the whole one would be a third of every form.
import * as z from "zod/mini";

// The product's content security policy forbids code made from text, which zod would otherwise try.
z.config({ jitless: true });

export { z };
