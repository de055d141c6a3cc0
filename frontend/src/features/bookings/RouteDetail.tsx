import { Detail, Remark } from "./Details";
import type { Route } from "./entities";

const grouped = new Intl.NumberFormat("en-IN");

/** A route by its name, its ends and its length. */
export function RouteDetail({ route }: { route: Route }) {
  return (
    <Detail label="Route">
      {route.name}
      <Remark>
        {route.startLocation} → {route.endLocation}, {grouped.format(route.distance)}&nbsp;km
      </Remark>
    </Detail>
  );
}
