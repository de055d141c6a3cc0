import { Button } from "@blueprintjs/core";
import { Plus } from "@blueprintjs/icons";
import { useRef } from "react";
import { useFieldArray, useFormContext } from "react-hook-form";
import { Section } from "@/shared/form/Section";
import styles from "./AddRoute.module.css";
import { emptySegment, type RouteValues } from "./routeSchema";
import { SegmentFields } from "./SegmentFields";

/** The stops of a new route, one after the other. */
export function SegmentsSection() {
  const { control } = useFormContext<RouteValues>();
  const { fields, append, remove } = useFieldArray({ control, name: "segments" });
  const addButton = useRef<HTMLButtonElement>(null);

  return (
    <Section title="Route Segments">
      <ol className={styles.segments}>
        {fields.map(({ id }, index) => (
          <SegmentFields
            key={id}
            index={index}
            // At least one remains.
            onRemove={
              fields.length > 1
                ? () => {
                    remove(index);
                    // The button that had the focus is gone with the segment.
                    addButton.current?.focus();
                  }
                : undefined
            }
          />
        ))}
      </ol>
      <Button
        ref={addButton}
        icon={<Plus />}
        text="Add Segment"
        onClick={() => append(emptySegment, { focusName: `segments.${fields.length}.destination` })}
      />
    </Section>
  );
}
