import { Button } from "@blueprintjs/core";
import { zodResolver } from "@hookform/resolvers/zod";
import type { MouseEvent } from "react";
import { FormProvider, useForm, useWatch } from "react-hook-form";
import { useNavigate } from "react-router";
import { ReadOnlyPast, useAsOf } from "@/shared/asOf";
import { Field } from "@/shared/form/Field";
import formStyles from "@/shared/form/form.module.css";
import { LeaveDialog, useLeaveGuard } from "@/shared/form/leaveGuard";
import { Section } from "@/shared/form/Section";
import { TELLS_SAVE_KEYS } from "@/shared/form/saveKeys";
import { formatDistance } from "@/shared/format/distance";
import { useListAddress } from "@/shared/records/paths";
import { toast } from "@/shared/toast";
import { PageHeader, StatCards } from "@/shared/ui";
import { formatDuration } from "./measures";
import { routePaths } from "./paths";
import { draftTotals, isComplete } from "./routeDraft";
import { emptyRoute, ROUTE_FIELDS, type RouteValues, routeSchema } from "./routeSchema";
import { SegmentsSection } from "./SegmentsSection";

/** The form of a new route. It keeps nothing yet: the specification has no call for it (calls). */
export function AddRoutePage() {
  const { asOf } = useAsOf();
  const listAddress = useListAddress(routePaths);
  return (
    <>
      <PageHeader title="Add Route" back={{ to: listAddress, label: "Back to Routes" }} />
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
            <Field<RouteValues> spec={{ name: "routeName", ...ROUTE_FIELDS.routeName }} />
            <Field<RouteValues> spec={{ name: "startingLocation", ...ROUTE_FIELDS.startingLocation }} />
            <Field<RouteValues> spec={{ name: "description", ...ROUTE_FIELDS.description }} />
          </div>
        </Section>
        <SegmentsSection />
        <div className={formStyles.bar}>
          <CreateButton />
          <Button text="Cancel" onClick={cancel} />
        </div>
      </form>
      <LeaveDialog guard={guard} />
    </FormProvider>
  );
}

/**
 * Pressing a button does not leave the field: what the field then lacks would be said below it, and move
 * the button away from under the pointer before it is released.
 */
function keepFieldFocused(event: MouseEvent): void {
  if (event.target instanceof Element && event.target.closest("button")) event.preventDefault();
}

/** What the segments add up to, while they are typed. */
function Totals() {
  const segments = useWatch<RouteValues, "segments">({ name: "segments" });
  const totals = draftTotals(segments);
  return (
    <StatCards
      label="Totals"
      figures={[
        { label: "Total Distance", value: formatDistance(totals.distance) },
        { label: "Total Time", value: formatDuration(totals.time) },
        { label: "Segments", value: totals.segments },
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
      {...TELLS_SAVE_KEYS}
      intent="primary"
      text="Create Route"
      disabled={!isComplete({ startingLocation, segments })}
    />
  );
}
