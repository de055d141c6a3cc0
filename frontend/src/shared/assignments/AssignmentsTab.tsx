import { Button } from "@blueprintjs/core";
import { Edit, Plus, SwapHorizontal } from "@blueprintjs/icons";
import { useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { useAsOf } from "@/shared/asOf";
import { usePermission } from "@/shared/auth/permissions";
import { Section } from "@/shared/form/Section";
import { TextField } from "@/shared/form/TextField";
import { fromInput } from "@/shared/format/localInput";
import { formatMoment } from "@/shared/format/MomentText";
import { useNow } from "@/shared/format/useNow";
import type { RecordProps } from "@/shared/records";
import { viewPath } from "@/shared/records/paths";
import { useRecord } from "@/shared/records/useRecords";
import { RecordLinks } from "@/shared/references/RecordLinks";
import { NamesContext } from "@/shared/references/references";
import { EmptyState, Loaded } from "@/shared/ui";
import { keepFocus } from "@/shared/ui/ConfirmDialog";
import { type PlainColumn, PlainTable } from "@/shared/ui/PlainTable";
import { type Party, periodOf, type WireAssignment } from "./assignments";
import { definition } from "./definition";
import { EndButton } from "./EndButton";
import { useIntervals } from "./intervals";
import { AssignDialog } from "./LazyAssignDialog";
import { Time } from "./Summary";

const PAGE = 100;
const SECTIONS = [
  ["now", "Now"],
  ["next", "Next"],
  ["past", "Past"],
] as const;

/** What is asked of an assignment, or of a new one. */
type Asked = { what: "assign" } | { what: "swap" | "correct"; of: WireAssignment };

/** The assignments of a driver, horse or trailer, or those recorded at a past moment. */
export function AssignmentsTab({ definition: { api, heading }, id }: RecordProps) {
  const noun = api.noun as Party;
  const { asOf } = useAsOf();
  const canChange = usePermission("fleet:write") && asOf === null;
  const [size, setSize] = useState(PAGE);
  const [at, setAt] = useState("");
  const [asked, setAsked] = useState<Asked>();
  const own = useRecord(api, asOf === null ? id : undefined).data;
  const known = asOf === null ? {} : { known_at: asOf };
  const { data, error } = useIntervals({ [noun]: id, size, ...known });
  const moment = fromInput(at);
  const then = useIntervals(moment === "" ? undefined : { [noun]: id, at: moment, ...known });
  const hasActed = useRef(false);
  // Rendered again every minute; what the user has just changed has begun already.
  useNow(60_000);
  const now = asOf === null ? new Date() : new Date(asOf);

  const isIdle = asked === undefined;
  // A change removes the button that had the focus, when the new answer arrives.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each answer
  useEffect(() => {
    if (hasActed.current && isIdle && document.activeElement === document.body) keepFocus();
  }, [data, isIdle]);
  const ask = (next: Asked) => {
    hasActed.current = true;
    setAsked(next);
  };

  const columns: readonly PlainColumn<WireAssignment>[] = [
    {
      header: "Time",
      cell: (one) => (
        <Link to={viewPath(definition.paths, one.id)}>
          <Time of={one} />
        </Link>
      ),
    },
    ...PARTIES.filter((party) => party.noun !== noun).map(({ header, noun: other, idsOf }) => ({
      header,
      cell: (one: WireAssignment) =>
        idsOf(one).length === 0 ? "–" : <RecordLinks noun={other} ids={idsOf(one)} />,
    })),
    { header: "Note", cell: ({ note }) => note ?? "–" },
    ...(canChange
      ? [
          {
            header: "Actions",
            place: "action" as const,
            cell: (one: WireAssignment) => (
              <div className="fl-row">
                {periodOf(one, now) === "now" && (
                  <>
                    <Button
                      size="small"
                      icon={<SwapHorizontal />}
                      text="Swap"
                      onClick={() => ask({ what: "swap", of: one })}
                    />
                    <EndButton
                      size="small"
                      id={one.id}
                      onBegin={() => {
                        hasActed.current = true;
                      }}
                    />
                  </>
                )}
                <Button
                  size="small"
                  icon={<Edit />}
                  text="Correct"
                  onClick={() => ask({ what: "correct", of: one })}
                />
              </div>
            ),
          },
        ]
      : []),
  ];
  const table = (label: string, rows: readonly WireAssignment[]) => (
    <PlainTable label={label} hasCards columns={columns} rows={rows} rowKey={(one) => one.id} />
  );

  return (
    <div className="fl-stack">
      <div className="fl-row">
        {canChange && (
          <Button icon={<Plus />} intent="primary" text="Assign" onClick={() => ask({ what: "assign" })} />
        )}
        <TextField
          label={noun === "driver" ? "What this driver had at" : `Who had this ${noun} at`}
          type="datetime-local"
          value={at}
          onChange={setAt}
        />
      </div>
      {moment !== "" && (
        <Section title={`At ${formatMoment(moment, false)}`}>
          <Loaded query={then} what="the assignments">
            {({ content, names = {} }) => (
              <NamesContext value={names}>
                {content.length === 0 ? (
                  <p className="fl-muted">Not assigned.</p>
                ) : (
                  table("At this moment", content)
                )}
              </NamesContext>
            )}
          </Loaded>
        </Section>
      )}
      <Loaded query={{ data, error }} what="the assignments">
        {({ content, page, names = {} }) => (
          <NamesContext value={names}>
            {content.length === 0 && (
              <EmptyState title="No assignments" message={`This ${noun} has not been assigned.`} />
            )}
            {SECTIONS.map(([period, title]) => {
              const rows = content.filter((one) => periodOf(one, now) === period);
              if (period === "next") rows.reverse(); // the answer has the latest start first
              if (rows.length === 0 && (period !== "now" || content.length === 0)) return null;
              return (
                <Section key={period} title={title}>
                  {rows.length === 0 ? <p className="fl-muted">Not assigned.</p> : table(title, rows)}
                </Section>
              );
            })}
            {page && page.totalElements > content.length && (
              <div>
                <Button text="Load more" onClick={() => setSize(Math.min(size + 3 * PAGE, 1_000))} />
              </div>
            )}
          </NamesContext>
        )}
      </Loaded>
      {asked && (
        <AskedDialog
          asked={asked}
          draft={{ [noun]: noun === "trailer" ? [id] : id }}
          names={{
            ...data?.names,
            ...(own && { [`${noun}:${id}`]: heading(own.values, id, own.hidden).title }),
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </div>
  );
}

const PARTIES: readonly { header: string; noun: Party; idsOf: (one: WireAssignment) => readonly string[] }[] =
  [
    { header: "Horse", noun: "horse", idsOf: ({ horse }) => [horse] },
    { header: "Driver", noun: "driver", idsOf: ({ driver }) => (driver === null ? [] : [driver]) },
    { header: "Trailers", noun: "trailer", idsOf: ({ trailers }) => trailers },
  ];

interface AskedDialogProps extends Pick<Parameters<typeof AssignDialog>[0], "draft" | "names" | "onClose"> {
  asked: Asked;
}

function AskedDialog({ asked, draft, ...props }: AskedDialogProps) {
  const [start] = useState(() => new Date().toISOString());
  if (asked.what === "assign") return <AssignDialog {...props} draft={{ ...draft, starts_at: start }} />;
  if (asked.what === "correct") return <AssignDialog {...props} current={asked.of} />;
  const { horse, driver, trailers, ends_at } = asked.of;
  return (
    <AssignDialog
      {...props}
      swapped={asked.of}
      draft={{ horse, driver, trailers, ends_at, starts_at: start }}
    />
  );
}
