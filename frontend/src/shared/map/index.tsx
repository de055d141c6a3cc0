import { type ComponentType, lazy, Suspense } from "react";
import styles from "./map.module.css";

export { type Place, type Placed, readPlace } from "./places";

/** Where one thing is. */
export const PointMap = whenLoaded(async () => (await import("./PointMap")).PointMap);

/** Where many things are. */
export const PlacesMap = whenLoaded(async () => (await import("./PlacesMap")).PlacesMap);

/** Brings all that maps are made of, so that they are there also when the connection has gone. */
export async function loadMaps(): Promise<void> {
  const [{ loadWorld }] = await Promise.all([import("./world"), import("./PointMap"), import("./PlacesMap")]);
  await Promise.all([loadWorld("coarse"), loadWorld("fine")]);
}

/** A map is an addition: the screen that has it waits for nothing, and stays as it is where it cannot be loaded. */
function whenLoaded<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const Loaded = lazy(async (): Promise<{ default: ComponentType<Props> }> => {
    try {
      return { default: await load() };
    } catch {
      return { default: () => <p className={styles.missing}>The map could not be loaded.</p> };
    }
  });
  return (props) => (
    <Suspense fallback={<p className={styles.missing}>Loading the map...</p>}>
      <Loaded {...props} />
    </Suspense>
  );
}
