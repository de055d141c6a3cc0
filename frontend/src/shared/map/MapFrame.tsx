import { Button, ButtonGroup } from "@blueprintjs/core";
import { Minus, Plus, ZoomToFit } from "@blueprintjs/icons";
import { type ReactNode, type SVGAttributes, useMemo } from "react";
import { draw } from "./drawing";
import styles from "./map.module.css";
import type { Place } from "./places";
import type { MapView } from "./useMapView";
import { canZoom, DRAWN_WIDTH, HEIGHT, type Offset } from "./view";
import { useWorld } from "./world";

interface MapFrameProps {
  /** The map's accessible name. */
  label: string;
  map: MapView;
  /** The centre of zooming, by default the view's. */
  about?: Place | undefined;
  /** The label of the button that resets the view. */
  fitLabel: string;
  /** Pointer handlers of the map's surface; `data-use` sets the cursor. */
  surface?: SVGAttributes<SVGSVGElement> & { "data-use": "move" | "choose" };
  note?: string;
  /** Elements on the map, positioned by `styleAt`. */
  children: ReactNode;
}

const STEP = 2;

/** Land, borders, names of countries, zoom buttons, and the elements on the map. */
export function MapFrame({ label, map, about, fitLabel, surface, note, children }: MapFrameProps) {
  const { view, frame, zoom, fit } = map;
  const { shapes, named, hasFailed, retry } = useWorld(view);
  const drawing = useMemo(() => shapes && named && draw(view, shapes, named), [view, shapes, named]);
  const zoomButton = (name: string, icon: React.JSX.Element, factor: number) => (
    <Button
      icon={icon}
      aria-label={name}
      title={name}
      // Not `disabled`, which would lose the focus.
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
          The map data could not be loaded. <Button size="small" text="Try Again" onClick={retry} />
        </p>
      )}
    </div>
  );
}

/** The CSS position of an offset. */
export function styleAt([x, y]: Offset) {
  return { left: `calc(50% + ${x.toFixed(1)}px)`, top: `calc(50% + ${y.toFixed(1)}px)` };
}
