import { Button } from "@blueprintjs/core";
import { History, Play, Refresh, SendMessage } from "@blueprintjs/icons";
import { useState } from "react";
import { Link } from "react-router";
import { type ApiPages, useApiPages } from "@/shared/api/useApiPages";
import { FormDialog } from "@/shared/form/FormDialog";
import { Section } from "@/shared/form/Section";
import { TextField } from "@/shared/form/TextField";
import { capitalized } from "@/shared/format/capitalized";
import { counted, grouped } from "@/shared/format/counted";
import { MomentText } from "@/shared/format/MomentText";
import { changeTitle } from "@/shared/history";
import type { RecordProps } from "@/shared/records";
import { useRecord } from "@/shared/records/useRecords";
import { EmptyState, Loaded, StatusBadge } from "@/shared/ui";
import { type PlainColumn, PlainTable } from "@/shared/ui/PlainTable";
import {
  type Deliveries,
  type Delivery,
  type DeliveryState,
  pathOf,
  STATES,
  useDeliveryRequest,
} from "./deliveries";
import styles from "./notifications.module.css";
import { notificationPaths } from "./routes";
import { SigningSecret } from "./SigningSecret";

/** The tab shows what happens within seconds. */
const LIVE = { refreshInterval: 3_000 };

export function DeliveriesTab({ definition, id }: RecordProps) {
  const { data: loaded } = useRecord(definition.api, id);
  const pages = useApiPages<Delivery, Deliveries>(
    pathOf(id, "deliveries"),
    ({ next }) => (next === null ? null : `before=${next}`),
    LIVE,
  );
  const isWebhook = loaded?.values.channel === "webhook";
  return (
    <Loaded
      query={{ data: pages.last && pages.items, error: pages.error }}
      what="the deliveries"
      onRetry={() => void pages.retry()}
    >
      {(items) => (
        <div className="fl-stack">
          <Progress id={id} pages={pages} />
          {loaded && isWebhook && <SigningSecret definition={definition} loaded={loaded} />}
          <DeliveryList id={id} items={items} pages={pages} />
        </div>
      )}
    </Loaded>
  );
}

interface PagesProps {
  id: string;
  pages: ApiPages<Delivery, Deliveries>;
}

/** How far a subscription is, and what can be asked of it. */
function Progress({ id, pages }: PagesProps) {
  const request = useDeliveryRequest(id, pages.retry);
  const [isReplaying, setReplaying] = useState(false);
  const state = pages.last?.state;
  if (state === undefined) return null;
  const { position, head, failing_since, next_attempt_at, reason } = state;
  const isFailing = state.state === "waiting" || state.state === "given_up";
  return (
    <Section
      title="Progress"
      facts={{
        State: <StatusBadge {...STATES[state.state]} />,
        ...(state.state !== "active" && { "What to do": ADVICE[state.state] }),
        ...(isFailing &&
          failing_since !== null && { "Failing since": <MomentText moment={failing_since} /> }),
        ...(isFailing &&
          next_attempt_at !== null && { "Next attempt": <MomentText moment={next_attempt_at} isExact /> }),
        ...(isFailing && reason !== null && { Reason: reason }),
        "Delivered up to": position === null ? "Nothing yet" : `Position ${grouped.format(position)}`,
        Behind: position === null || position >= head ? "Up to date" : counted(head - position, "event"),
      }}
    >
      <div className={styles.actions}>
        {isFailing && (
          <Button
            icon={<Play />}
            intent="primary"
            text="Try now"
            onClick={() => void request({ kind: "resume" }, "Trying Again")}
          />
        )}
        <Button
          icon={<SendMessage />}
          text="Send a test"
          onClick={() => void request({ kind: "test" }, "Test Requested")}
        />
        <Button icon={<History />} text="Replay from…" onClick={() => setReplaying(true)} />
      </div>
      {isReplaying && <ReplayDialog state={state} request={request} onClose={() => setReplaying(false)} />}
    </Section>
  );
}

const ADVICE: Readonly<Record<Exclude<DeliveryState["state"], "active">, string>> = {
  waiting: "Nothing: the delivery is tried again by itself, less and less often.",
  given_up: "Mend the receiver or the address, then try again. Nothing is lost: events wait in order.",
  paused: "Resume the subscription. Nothing is sent until then.",
  not_configured: "Ask an operator to set up the product's mail server.",
};

interface ReplayDialogProps {
  state: DeliveryState;
  request: ReturnType<typeof useDeliveryRequest>;
  onClose: () => void;
}

function ReplayDialog({ state: { head }, request, onClose }: ReplayDialogProps) {
  const [since, setSince] = useState("");
  const [after, setAfter] = useState("");
  const [errors, setErrors] = useState<{ since?: string; after?: string }>({});
  const send = async () => {
    const problems = problemsOf(since, after.trim(), head);
    setErrors(problems);
    if (problems.since ?? problems.after) return false;
    const place = since === "" ? { after: Number(after) } : { since: new Date(since).toISOString() };
    const isDone = await request({ kind: "replay", ...place }, "Replay Requested");
    if (isDone) onClose();
    return isDone;
  };
  return (
    <FormDialog
      title="Replay Events"
      submitLabel="Replay"
      busyLabel="Requesting..."
      send={send}
      onClose={onClose}
    >
      <p>
        All events since a time, or after a position, are sent again, in order. Receivers recognise repeats by
        their ids. Until the replay has caught up, later events wait.
      </p>
      <TextField
        label="Since"
        type="datetime-local"
        step={1}
        hint="Your local time."
        error={errors.since}
        value={since}
        onChange={setSince}
      />
      <TextField
        label="Or after position"
        inputMode="numeric"
        hint={`0 for all; the last position is ${grouped.format(head)}.`}
        error={errors.after}
        value={after}
        onChange={setAfter}
      />
    </FormDialog>
  );
}

function problemsOf(since: string, after: string, head: number): { since?: string; after?: string } {
  if ((since === "") === (after === "")) return { since: "Enter either a date with a time, or a position." };
  if (since !== "") return Date.parse(since) > Date.now() ? { since: "This time is in the future." } : {};
  const isPosition = /^\d+$/.test(after) && Number(after) < head;
  return isPosition ? {} : { after: `Enter a number from 0 to ${head - 1}.` };
}

function DeliveryList({ id, items, pages }: PagesProps & { items: readonly Delivery[] }) {
  const request = useDeliveryRequest(id, pages.retry);
  if (items.length === 0) {
    return <EmptyState title="No deliveries yet" message="Deliveries of the last 30 days are listed here." />;
  }
  const columns: readonly PlainColumn<Delivery>[] = [
    { header: "Time", cell: ({ moment }) => <MomentText moment={moment} isExact /> },
    { header: "Content", cell: (delivery) => <DeliveryContent delivery={delivery} /> },
    { header: "Result", cell: (delivery) => <DeliveryResult delivery={delivery} /> },
    {
      header: "Action",
      place: "action",
      cell: ({ number, event_id }) =>
        event_id !== null && (
          <Button
            size="small"
            icon={<Refresh />}
            text="Send again"
            onClick={() => void request({ kind: "again", delivery: number }, "Delivery Requested")}
          />
        ),
    },
  ];
  return (
    <Section title="Deliveries">
      <PlainTable
        label="Deliveries"
        hasCards
        columns={columns}
        rows={items}
        rowKey={({ number }) => String(number)}
      />
      {pages.hasMore && (
        <div className={styles.actions}>
          <Button text="Load more" loading={pages.isLoadingMore} onClick={pages.loadMore} />
        </div>
      )}
    </Section>
  );
}

const KINDS: Readonly<Record<Delivery["kind"], string>> = {
  event: "Event",
  test: "Test",
  again: "Sent again",
  digest: "Daily digest",
};

/** The event's type and record. */
function DeliveryContent({ delivery: { kind, event_type, subject } }: { delivery: Delivery }) {
  // E.g. `fleetlog.driver.registered.v2`.
  const [, noun, change] = event_type?.split(".") ?? [];
  if (kind === "test" || noun === undefined || change === undefined) return KINDS[kind];
  const list = noun === "subscription" ? notificationPaths.list : `/management/${noun}s`;
  return (
    <>
      {capitalized(noun)} {changeTitle(change).toLowerCase()}
      {subject !== null && (
        <div>
          <Link to={`${list}/${encodeURIComponent(subject)}`}>{subject}</Link>
        </div>
      )}
      {kind !== "event" && <span className="fl-remark">{KINDS[kind]}</span>}
    </>
  );
}

function DeliveryResult({ delivery }: { delivery: Delivery }) {
  const { ok, status, milliseconds, error, attempt, request, response } = delivery;
  const facts = [
    attempt > 1 && `attempt ${attempt}`,
    status !== null && `status ${status}`,
    milliseconds !== null && `${grouped.format(milliseconds)} ms`,
  ];
  return (
    <>
      <StatusBadge label={ok ? "Delivered" : "Failed"} tone={ok ? "success" : "danger"} />{" "}
      <span className="fl-muted">{facts.filter(Boolean).join(", ")}</span>
      {error !== null && <span className="fl-block fl-danger fl-anywhere">{error}</span>}
      {(request ?? response) !== null && (
        <details className={styles.messages}>
          <summary>Request and response</summary>
          {request !== null && <pre>{request}</pre>}
          {response !== null && <pre>{response || "(empty response)"}</pre>}
        </details>
      )}
    </>
  );
}
