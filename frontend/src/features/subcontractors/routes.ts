import { lazyScreen } from "@/shared/frame/lazyScreen";

export const subcontractorsRoutes = [
  lazyScreen(
    "/management/subcontractors",
    async () => (await import("./SubcontractorsPage")).SubcontractorsPage,
  ),
];
