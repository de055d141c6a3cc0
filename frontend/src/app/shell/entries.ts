import { Clipboard, Cog, Route } from "@blueprintjs/icons";
import { TruckIcon } from "@/shared/ui";

/** The four areas (product.md: screens). */
export const entries = [
  { to: "/", label: "Trips", Icon: Route },
  { to: "/fleets", label: "Fleets", Icon: TruckIcon },
  { to: "/bookings", label: "Bookings", Icon: Clipboard },
  { to: "/management", label: "Management", Icon: Cog },
];
