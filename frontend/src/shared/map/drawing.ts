import { geoPath } from "d3-geo";
import { DRAWN_WIDTH, HEIGHT, placeAt, projectionOf, type View } from "./view";
import type { Shape, World } from "./world";

/** Minimum area in square pixels of a country with a name. */
const ROOM_FOR_NAME = 3_000;
/** Pixels beyond the edge, so that the clipped outline is out of view. */
const BEYOND = 8;

/** Draw a view of a world: SVG paths of land and borders, with the names of countries of a possibly coarser one. */
export function draw(view: View, { land, borders }: World, { countries }: World) {
  const [right, bottom] = [DRAWN_WIDTH / 2 + BEYOND, HEIGHT / 2 + BEYOND];
  const projection = projectionOf(view).clipExtent([
    [-right, -bottom],
    [right, bottom],
  ]);
  const path = geoPath(projection).digits(1);
  const isNear = nearness(view);
  const line = (shapes: readonly Shape[]) =>
    shapes
      .filter(isNear)
      .map(({ geometry }) => path(geometry) ?? "")
      .join("");
  return {
    land: line(land),
    borders: line(borders),
    names: countries
      .filter((country) => path.area(country) > ROOM_FOR_NAME)
      .map((country) => ({ text: country.properties.name, at: path.centroid(country) })),
  };
}

/** A fast check of whether a shape may be in view, including across the date line. */
function nearness(view: View): (shape: Shape) => boolean {
  const { centre, scale } = view;
  const reach = ((DRAWN_WIDTH / 2 / scale) * 180) / Math.PI;
  const { latitude: north } = placeAt([0, -HEIGHT / 2], view);
  const { latitude: south } = placeAt([0, HEIGHT / 2], view);
  return ({ box }) =>
    box.north >= south &&
    box.south <= north &&
    [-360, 0, 360].some(
      (round) => box.west + round <= centre.longitude + reach && box.east + round >= centre.longitude - reach,
    );
}
