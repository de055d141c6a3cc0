import { useMe } from "@/shared/auth/permissions";
import { Section } from "@/shared/form/Section";
import { StatusBadge, type StatusTone } from "@/shared/ui";
import { PlainTable } from "@/shared/ui/PlainTable";
import { Ago } from "./Ago";
import { Progress } from "./Progress";
import styles from "./system.module.css";
import { actionName } from "./useActions";
import type { Action, System } from "./wire";

const STATES: Readonly<Record<Action["state"], { label: string; tone: StatusTone }>> = {
  asked: { label: "Asked", tone: "neutral" },
  running: { label: "Under way", tone: "info" },
  done: { label: "Done", tone: "success" },
  failed: { label: "Failed", tone: "danger" },
};

/** Actions that operators have requested recently, with their outcomes. */
export function RecentActions({ system: { actions, at } }: { system: System }) {
  const { sub } = useMe();
  return (
    <Section title="Asked lately">
      {actions.length === 0 ? (
        <p className="fl-muted">Nobody has asked for anything yet.</p>
      ) : (
        <PlainTable
          label="Asked lately"
          columns={[
            { header: "Action", cell: actionName, kind: "code" },
            { header: "State", cell: (action) => <State action={action} />, kind: "code", place: "state" },
            {
              header: "What came of it",
              cell: ({ words }) => words && <span className={styles.words}>{words}</span>,
            },
            { header: "Asked", cell: ({ asked_at }) => <Ago moment={asked_at} at={at} />, kind: "code" },
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
