import { lazyScreen } from "@/shared/frame/lazyScreen";

/** The subcontractors' screen. */
export const subcontractorsRoutes = [
  lazyScreen(
    "/management/subcontractors",
    async () => (await import("./SubcontractorsPage")).SubcontractorsPage,
  ),
];
