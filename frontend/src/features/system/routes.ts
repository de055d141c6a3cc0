import { lazyScreen } from "@/shared/frame/lazyScreen";
import { SYSTEM_PATH } from "./paths";

export const systemRoutes = [lazyScreen(SYSTEM_PATH, async () => (await import("./SystemPage")).SystemPage)];
