import { lazyScreen } from "@/shared/frame/lazyScreen";
import { EVENT_STREAM_PATH } from "./paths";

export const eventStreamRoutes = [
  lazyScreen(EVENT_STREAM_PATH, async () => (await import("./EventStreamPage")).EventStreamPage),
];
