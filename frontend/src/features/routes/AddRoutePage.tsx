import { Button } from "@blueprintjs/core";
import { Plus, Trash } from "@blueprintjs/icons";
import { zodResolver } from "@hookform/resolvers/zod";
import { type MouseEvent, useId, useRef } from "react";
import { FormProvider, useFieldArray, useForm, useFormContext, useWatch } from "react-hook-form";
import { useNavigate } from "react-router";
import { ReadOnlyPast, useAsOf } from "@/shared/asOf";
import { Field } from "@/shared/form/Field";
import formStyles from "@/shared/form/form.module.css";
import { useLeaveGuard } from "@/shared/form/leaveGuard";
import { Section } from "@/shared/form/Section";
import { SAVE_BUTTON } from "@/shared/form/saveKeys";
import { formatDistance } from "@/shared/format/distance";
import { total } from "@/shared/format/total";
import { useListAddress } from "@/shared/records/paths";
import { toast } from "@/shared/toast";
import { PageHeader, StatCards } from "@/shared/ui";
import { formatDuration } from "./route";
import {
  amount,
  emptyRoute,
  emptySegment,
  isComplete,
  ROUTE_FIELDS,
  type RouteValues,
  routeSchema,
  SEGMENT_FIELDS,
} from "./routeDraft";
import { routePaths } from "./routes";
import styles from "./routes.module.css";

/** The form of a new route, which is not stored: the specification has no call for it (section 7). */
export function AddRoutePage() {
  const { asOf } = useAsOf();
  const listAddress = useListAddress(routePaths);
  return (
    <>
      <PageHeader title="Add Route" isSample back={{ to: listAddress, label: "Back to Routes" }} />
      {asOf === null ? <RouteForm listAddress={listAddress} /> : <ReadOnlyPast />}
    </>
  );
}

function RouteForm({ listAddress }: { listAddress: string }) {
  const form = useForm<RouteValues>({
    defaultValues: emptyRoute,
    resolver: zodResolver(routeSchema),
  });
  const guard = useLeaveGuard(form.formState.isDirty);
  const navigate = useNavigate();

  const create = form.handleSubmit(() => {
    guard.release();
    toast.show({
      title: "Route Created",
      message: "The new route has been created successfully.",
      intent: "success",
    });
    navigate(routePaths.list);
  });
  const cancel = () => {
    guard.release();
    navigate(listAddress);
  };

  return (
    <FormProvider {...form}>
      <Totals />
      <form
        className="fl-stack"
        aria-label="Add route"
        onSubmit={create}
        onMouseDown={keepFieldFocused}
        noValidate
      >
        <Section title="Route Information">
          <div className={formStyles.grid}>
            {Object.values(ROUTE_FIELDS).map((spec) => (
              <Field<RouteValues> key={spec.name} spec={spec} />
            ))}
          </div>
        </Section>
        <SegmentsSection />
        <div className={formStyles.bar}>
          <CreateButton />
          <Button text="Cancel" onClick={cancel} />
        </div>
      </form>
      {guard.dialog}
    </FormProvider>
  );
}

/**
 * Pressing a button keeps the focus in the field: leaving it may add an error below the field, which moves the button
 * from under the pointer before the click.
 */
function keepFieldFocused(event: MouseEvent): void {
  if (event.target instanceof Element && event.target.closest("button")) event.preventDefault();
}

function Totals() {
  const segments = useWatch<RouteValues, "segments">({ name: "segments" });
  const distance = total(segments.map(({ estimatedDistance }) => amount(estimatedDistance)));
  // The form refuses fractions of a minute when it is submitted.
  const time = Math.round(total(segments.map(({ estimatedTime }) => amount(estimatedTime))));
  return (
    <StatCards
      label="Totals"
      figures={[
        { label: "Total Distance", value: formatDistance(distance) },
        { label: "Total Time", value: formatDuration(time) },
        { label: "Segments", value: segments.length },
      ]}
    />
  );
}

function CreateButton() {
  const [startingLocation, segments] = useWatch<RouteValues, ["startingLocation", "segments"]>({
    name: ["startingLocation", "segments"],
  });
  return (
    <Button
      type="submit"
      {...SAVE_BUTTON}
      intent="primary"
      text="Create Route"
      disabled={!isComplete({ startingLocation, segments })}
    />
  );
}

function SegmentsSection() {
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
            onRemove={
              fields.length > 1
                ? () => {
                    remove(index);
                    // The focused button is removed with its segment.
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

interface SegmentFieldsProps {
  /** From 0. */
  index: number;
  /** Undefined for the only segment. */
  onRemove: (() => void) | undefined;
}

function SegmentFields({ index, onRemove }: SegmentFieldsProps) {
  const titleId = useId();
  const [startingLocation, segments] = useWatch<RouteValues, ["startingLocation", "segments"]>({
    name: ["startingLocation", "segments"],
  });
  const title = `Stop ${index + 1}`;
  const origin =
    index === 0 ? startingLocation || "start" : segments[index - 1]?.destination || `stop ${index}`;

  return (
    <li>
      <fieldset className={styles.segment} aria-labelledby={titleId}>
        <div className={`fl-row ${styles.head}`}>
          <h3 id={titleId} className="fl-heading">
            {title} <span className="fl-muted">from {origin}</span>
          </h3>
          {onRemove && (
            <Button variant="minimal" icon={<Trash />} aria-label={`Remove ${title}`} onClick={onRemove} />
          )}
        </div>
        <div className={formStyles.grid}>
          {Object.values(SEGMENT_FIELDS).map((spec) => (
            <Field<RouteValues> key={spec.name} spec={{ ...spec, name: `segments.${index}.${spec.name}` }} />
          ))}
        </div>
      </fieldset>
    </li>
  );
}
