import { Button } from "@blueprintjs/core";
import { Cross } from "@blueprintjs/icons";
import { useEffect, useRef } from "react";
import { Link } from "react-router";
import { useListState } from "@/shared/table/useAddressParams";
import styles from "./map.module.css";
import type { Placed } from "./places";

/** What stands in one place of a map, where no zooming tells it apart: it gets the focus. */
export function PlaceLinks({ places, onClose }: { places: readonly Placed[]; onClose: () => void }) {
  const state = useListState();
  const list = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus goes to whatever is shown
  useEffect(() => list.current?.querySelector("a")?.focus(), [places]);
  return (
    <div className={styles.together}>
      <ul ref={list} aria-label="In this place">
        {places.map(({ id, name, href }) => (
          <li key={id}>
            <Link to={href} state={state}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
      <Button variant="minimal" icon={<Cross />} aria-label="Close" onClick={onClose} />
    </div>
  );
}
