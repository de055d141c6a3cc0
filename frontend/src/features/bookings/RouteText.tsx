import { formatDistance } from "@/shared/format/distance";
import { Remark } from "./Details";
import type { Route } from "./entities";

/** A route by its name, its ends and its length. */
export function RouteText({ route }: { route: Route }) {
  return (
    <>
      {route.name}
      <Remark>
        {route.startLocation} → {route.endLocation}, {formatDistance(route.distance)}
      </Remark>
    </>
  );
}
