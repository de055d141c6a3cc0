import { lazyScreen } from "@/shared/frame/lazyScreen";

export const SYSTEM_PATH = "/management/system";

export const systemRoutes = [lazyScreen(SYSTEM_PATH, async () => (await import("./SystemPage")).SystemPage)];
