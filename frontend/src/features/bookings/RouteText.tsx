import { Remark } from "./Details";
import type { Route } from "./entities";

const grouped = new Intl.NumberFormat("en-IN");

/** A route by its name, its ends and its length. */
export function RouteText({ route }: { route: Route }) {
  return (
    <>
      {route.name}
      <Remark>
        {route.startLocation} → {route.endLocation}, {grouped.format(route.distance)}&nbsp;km
      </Remark>
    </>
  );
}
