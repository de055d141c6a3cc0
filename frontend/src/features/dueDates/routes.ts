import { lazyScreen } from "@/shared/frame/lazyScreen";

export const DUE_PATH = "/management/due-dates";

export const dueDateRoutes = [
  lazyScreen(DUE_PATH, async () => (await import("./DueDatesPage")).DueDatesPage),
];
