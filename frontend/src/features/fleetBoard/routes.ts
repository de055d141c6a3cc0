import { lazyScreen } from "@/shared/frame/lazyScreen";

export const FLEET_BOARD_PATH = "/management/fleet";

export const fleetBoardRoutes = [
  lazyScreen(FLEET_BOARD_PATH, async () => (await import("./FleetBoardPage")).FleetBoardPage),
];
