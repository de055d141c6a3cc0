import { type ComponentType, lazy, Suspense } from "react";
import { MoveHelp } from "./MoveHelp";
import styles from "./map.module.css";

export { type LinkedPlace, type Place, readPlace } from "./places";

export const PointMap = whenLoaded(async () => (await import("./PointMap")).PointMap);

export const PlacesMap = whenLoaded(async () => (await import("./PlacesMap")).PlacesMap);

/** Preload code and data of the maps, so that they are available offline. */
export async function loadMaps(): Promise<void> {
  const [{ loadWorld }] = await Promise.all([import("./world"), import("./PointMap"), import("./PlacesMap")]);
  await Promise.all([loadWorld("coarse"), loadWorld("fine")]);
}

/** A lazily loaded map; a failure shows a message and leaves the screen usable. */
function whenLoaded<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const Loaded = lazy(async (): Promise<{ default: ComponentType<Props> }> => {
    try {
      return { default: await load() };
    } catch {
      return { default: () => <p className={styles.missing}>The map could not be loaded.</p> };
    }
  });
  return (props) => (
    <Suspense
      fallback={
        // As high as the map: the screen must not move when it arrives.
        <div className="fl-grid fl-gap-6 fl-shrink">
          <p className={styles.missing}>Loading the map...</p>
          {"onMove" in props && props.onMove !== undefined && <MoveHelp />}
        </div>
      }
    >
      <Loaded {...props} />
    </Suspense>
  );
}
