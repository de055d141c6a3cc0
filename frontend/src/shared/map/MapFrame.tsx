import { Button, ButtonGroup } from "@blueprintjs/core";
import { Minus, Plus, ZoomToFit } from "@blueprintjs/icons";
import { type ReactNode, type SVGAttributes, useMemo } from "react";
import { draw } from "./drawing";
import styles from "./map.module.css";
import type { Place } from "./places";
import type { MapView } from "./useMapView";
import { useWorld } from "./useWorld";
import { canZoom, DRAWN_WIDTH, HEIGHT, type Offset } from "./view";

interface MapFrameProps {
  /** The map's accessible name. */
  label: string;
  map: MapView;
  /** What may be zoomed about, where that is not the middle. */
  about?: Place | undefined;
  /** What the button says that shows again what the map is about. */
  fitLabel: string;
  /** What happens on the map, other than on what stands on it; `data-use` says how it looks to whoever points at it. */
  surface?: SVGAttributes<SVGSVGElement> & { "data-use": "move" | "choose" };
  /** Said on the map. */
  note?: string;
  /** What stands on the map, placed by `styleAt`. */
  children: ReactNode;
}

const STEP = 2;

/** Land, borders and countries' names as a view has them, buttons to zoom, and what stands on the map. */
export function MapFrame({ label, map, about, fitLabel, surface, note, children }: MapFrameProps) {
  const { view, frame, zoom, fit } = map;
  const { shapes, named, hasFailed, retry } = useWorld(view);
  const drawing = useMemo(() => shapes && named && draw(view, shapes, named), [view, shapes, named]);
  const zoomButton = (name: string, icon: React.JSX.Element, factor: number) => (
    <Button
      icon={icon}
      aria-label={name}
      title={name}
      // Not disabled: that would lose the focus. (Pressed all the same, it does nothing.)
      aria-disabled={!canZoom(view, factor)}
      onClick={() => zoom(factor, about)}
    />
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div ref={frame} className={styles.frame} role="group" aria-label={label}>
      <svg
        {...surface}
        className={styles.surface}
        width={DRAWN_WIDTH}
        height={HEIGHT}
        viewBox={`${-DRAWN_WIDTH / 2} ${-HEIGHT / 2} ${DRAWN_WIDTH} ${HEIGHT}`}
        aria-hidden
      >
        {drawing && (
          <>
            <path className={styles.land} d={drawing.land} />
            <path className={styles.borders} d={drawing.borders} />
            {drawing.names.map(({ text, at: [x, y] }) => (
              <text key={text} className={styles.country} x={x} y={y}>
                {text}
              </text>
            ))}
          </>
        )}
      </svg>
      {children}
      <ButtonGroup className={styles.buttons ?? ""} vertical>
        {zoomButton("Zoom in", <Plus />, STEP)}
        {zoomButton("Zoom out", <Minus />, 1 / STEP)}
        <Button icon={<ZoomToFit />} aria-label={fitLabel} title={fitLabel} onClick={fit} />
      </ButtonGroup>
      {note && !hasFailed && <p className={styles.note}>{note}</p>}
      {hasFailed && (
        <p className={styles.note} role="status">
          Land and borders could not be loaded. <Button size="small" text="Try Again" onClick={retry} />
        </p>
      )}
    </div>
  );
}

/** Where something stands on a map. */
export function styleAt([x, y]: Offset) {
  return { left: `calc(50% + ${x.toFixed(1)}px)`, top: `calc(50% + ${y.toFixed(1)}px)` };
}
