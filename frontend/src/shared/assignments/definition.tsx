import { Stop, SwapHorizontal } from "@blueprintjs/icons";
import type { ReactNode } from "react";
import type { Wire } from "@/shared/api/wireTypes.gen";
import type { FormValues, SectionBelow } from "@/shared/form";
import { formatMoment } from "@/shared/format/MomentText";
import { type RecordDefinition, recordOf } from "@/shared/records";
import type { QuickChange } from "@/shared/records/definition";
import { assignment } from "@/shared/records/entities.gen";
import { NamesContext, NO_NAMES } from "@/shared/references/references";
import { StatusBadge } from "@/shared/ui";
import { periodOf, useWhenChanged, WARNINGS } from "./assignments";
import { useIntervals } from "./intervals";
import { assignmentPaths } from "./paths";

/** Confirmations are given for a driver, trailers and a time: they are dropped when these change. */
function DropConfirmations({ values, onChange }: SectionBelow) {
  useWhenChanged(values, () => values.confirmed && onChange?.({ confirmed: "" }));
  return null;
}

/** The names of an assignment's records, or of those in the latest assignments. */
function Names({ values, children }: { values?: FormValues; children: ReactNode }) {
  const { horse, starts_at: at } = values ?? {};
  const { data } = useIntervals(horse && at ? { horse, at } : { size: 1_000 });
  return <NamesContext value={data?.names ?? NO_NAMES}>{children}</NamesContext>;
}

const PERIODS = {
  past: <StatusBadge label="Past" />,
  now: <StatusBadge label="Now" tone="success" />,
  next: <StatusBadge label="Next" tone="info" />,
};

export const END_NOW: QuickChange = {
  text: "End now",
  icon: <Stop />,
  field: "ends_at",
  value: () => new Date().toISOString(),
  applies: ({ starts_at, ends_at }) => periodOf({ starts_at, ends_at }, new Date()) === "now",
  done: "Assignment Ended",
};

/** Assignments of drivers and trailers to horses. */
export const assignmentDefinition = recordOf<Wire<"AssignmentRecord">>()(assignment, {
  paths: assignmentPaths,
  sections: [
    {
      title: "Who and what",
      fields: [
        { name: "horse", label: "Horse", column: { place: 3, card: "second" } },
        { name: "driver", label: "Driver", column: { place: 4, card: "second" } },
        { name: "trailers", label: "Trailers", column: { place: 5, wraps: true } },
      ],
    },
    {
      title: "When and where",
      fields: [
        { name: "starts_at", label: "From", column: { place: 1 } },
        {
          name: "ends_at",
          label: "Until",
          noneText: "Open",
          column: { place: 2, emptyText: "Open" },
          hint: (ends) => (ends === "" ? "Empty: open." : undefined),
        },
        { name: "location", label: "Location", column: { place: 6 } },
        { name: "note", label: "Note", wide: true, column: { place: 7, wraps: true } },
        {
          name: "confirmed",
          label: "Confirmed warnings",
          choices: Object.keys(WARNINGS),
          isMany: true,
          wide: true,
          textOf: (code) => WARNINGS[code] ?? code,
        },
      ],
      below: DropConfirmations,
    },
  ],
  listed: [
    { name: "id", label: "Assignment ID", column: { hidden: true } },
    { name: "updated_at", label: "Recorded", column: { hidden: true } },
  ],
  Names,
  heading: ({ horse, starts_at, ends_at }, id) => ({
    title: starts_at && `${horse}, ${formatMoment(starts_at, false)}`,
    subtitle: `Assignment ${id}`,
    badge: starts_at && PERIODS[periodOf({ starts_at, ends_at }, new Date())],
  }),
  list: {
    title: "Assignments",
    subtitle: "Who drives which horse with which trailers, and when",
    addLabel: "Assign",
    emptyAddLabel: "Assign",
    defaultSort: { id: "starts_at", desc: true },
    searchPlaceholder: "Search assignments by horse or driver...",
    nameOf: ({ id }) => id,
    figures: [{ label: "Total Assignments" }],
    icon: <SwapHorizontal size={24} />,
    copiesId: true,
  },
  quickChanges: [END_NOW],
});

/** As the shared screens use it. */
export const definition = assignmentDefinition as unknown as RecordDefinition;
