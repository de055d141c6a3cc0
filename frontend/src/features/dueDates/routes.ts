import { lazyScreen } from "@/shared/frame/lazyScreen";
import { DUE_PATH } from "./paths";

/** The screen of due dates. */
export const dueDateRoutes = [
  lazyScreen(DUE_PATH, async () => (await import("./DueDatesPage")).DueDatesPage),
];
