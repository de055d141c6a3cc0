import { Button } from "@blueprintjs/core";
import { Trash } from "@blueprintjs/icons";
import { useId } from "react";
import { useWatch } from "react-hook-form";
import { Field } from "@/shared/form/Field";
import formStyles from "@/shared/form/form.module.css";
import styles from "./AddRoute.module.css";
import { originOf } from "./routeDraft";
import { type RouteValues, SEGMENT_FIELDS } from "./routeSchema";

interface SegmentFieldsProps {
  /** From 0. */
  index: number;
  /** Undefined while it is the only one. */
  onRemove: (() => void) | undefined;
}

/** One segment of a new route: the next stop, and the way to it. */
export function SegmentFields({ index, onRemove }: SegmentFieldsProps) {
  const titleId = useId();
  const [startingLocation, segments] = useWatch<RouteValues, ["startingLocation", "segments"]>({
    name: ["startingLocation", "segments"],
  });
  const name = `segments.${index}` as const;
  const title = `Stop ${index + 1}`;

  return (
    <li>
      <fieldset className={styles.segment} aria-labelledby={titleId}>
        <div className={styles.head}>
          <h3 id={titleId} className={styles.title}>
            {title}{" "}
            <span className={styles.origin}>from {originOf({ startingLocation, segments }, index)}</span>
          </h3>
          {onRemove && (
            <Button variant="minimal" icon={<Trash />} aria-label={`Remove ${title}`} onClick={onRemove} />
          )}
        </div>
        <div className={formStyles.grid}>
          <Field<RouteValues> spec={{ name: `${name}.destination`, ...SEGMENT_FIELDS.destination }} />
          <Field<RouteValues>
            spec={{ name: `${name}.estimatedDistance`, ...SEGMENT_FIELDS.estimatedDistance }}
          />
          <Field<RouteValues> spec={{ name: `${name}.estimatedTime`, ...SEGMENT_FIELDS.estimatedTime }} />
          <Field<RouteValues> spec={{ name: `${name}.notes`, ...SEGMENT_FIELDS.notes }} />
        </div>
      </fieldset>
    </li>
  );
}
