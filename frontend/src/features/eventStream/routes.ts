import { lazyScreen } from "@/shared/frame/lazyScreen";

export const eventStreamRoutes = [
  lazyScreen("/management/event-stream", async () => (await import("./EventStreamPage")).EventStreamPage),
];
