import { useMe } from "@/shared/auth/permissions";
import { Section } from "@/shared/form/Section";
import { StatusBadge, type StatusTone } from "@/shared/ui";
import { PlainTable } from "@/shared/ui/PlainTable";
import { Ago, Progress } from "./parts";
import styles from "./system.module.css";
import type { Action, System } from "./systemState";
import { actionName } from "./useActions";

const STATES: Readonly<Record<Action["state"], { label: string; tone: StatusTone }>> = {
  asked: { label: "Requested", tone: "neutral" },
  running: { label: "Running", tone: "info" },
  done: { label: "Done", tone: "success" },
  failed: { label: "Failed", tone: "danger" },
};

export function RecentActions({ system: { actions, at } }: { system: System }) {
  const { sub } = useMe();
  return (
    <Section title="Recent actions">
      {actions.length === 0 ? (
        <p className="fl-muted">No actions yet.</p>
      ) : (
        <PlainTable
          label="Recent actions"
          columns={[
            { header: "Action", cell: actionName, kind: "code" },
            { header: "Status", cell: (action) => <State action={action} />, kind: "code", place: "state" },
            {
              header: "Result",
              cell: ({ words }) => words && <span className={styles.words}>{words}</span>,
            },
            { header: "Requested", cell: ({ asked_at }) => <Ago moment={asked_at} at={at} />, kind: "code" },
            { header: "By", cell: ({ asked_by }) => (asked_by === sub ? "you" : asked_by), kind: "code" },
          ]}
          rows={actions}
          rowKey={({ id }) => id}
          hasCards
        />
      )}
    </Section>
  );
}

function State({ action }: { action: Action }) {
  const { state, done, total } = action;
  return (
    <>
      <StatusBadge {...STATES[state]} />
      {state === "running" && <Progress label={actionName(action)} done={done} total={total} />}
    </>
  );
}
