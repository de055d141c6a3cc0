import { z } from "zod";

// The product's content security policy forbids code made from text, which zod would otherwise try.
z.config({ jitless: true });

export { z };
