import { Button } from "@blueprintjs/core";
import { SWRConfig } from "swr";
import { ApiError } from "@/shared/api/client";
import { NoPastNotice } from "@/shared/asOf";
import { useAsOf } from "@/shared/asOf/useAsOf";
import { Needs } from "@/shared/auth/Needs";
import { usePermission } from "@/shared/auth/permissions";
import { relativeTime } from "@/shared/format/relativeTime";
import { useNow } from "@/shared/format/useNow";
import { ErrorState, LinkButton, LoadingState, Notice, PageHeader, StatusBadge } from "@/shared/ui";
import { Alerts } from "./Alerts";
import { LastDay } from "./LastDay";
import { Projections } from "./Projections";
import { RecentActions } from "./RecentActions";
import { Services } from "./Services";
import { SetAside } from "./SetAside";
import { StatusCards } from "./StatusCards";
import styles from "./system.module.css";
import { STATES } from "./systemState";
import { useActions } from "./useActions";
import { LIVE, useSystem } from "./useSystem";
import type { System } from "./wire";

/** The System screen: failing checks, their runbooks, figures, and actions. */
export function SystemPage() {
  const { addressOf } = useAsOf();
  const back = { to: addressOf("/management"), label: "Back to Management" };
  return (
    <Needs
      permissions={["operations:read"]}
      to="see how the system is doing"
      back={<LinkButton to={back.to} text={back.label} />}
    >
      <SWRConfig value={LIVE}>
        <LiveSystem back={back} />
      </SWRConfig>
    </Needs>
  );
}

function LiveSystem({ back }: { back: { to: string; label: string } }) {
  const { system, readAt, error, refresh } = useSystem();
  const retry = () => void refresh();
  const isFailing = error !== undefined;
  return (
    <>
      <PageHeader
        title="System"
        subtitle={system && `Release ${system.release}, database revision ${system.schema_revision}`}
        back={back}
        badge={system && !isFailing && <StatusBadge {...STATES[system.state]} />}
        actions={system && <ReadAt moment={readAt} />}
      />
      <NoPastNotice what="The system's figures" />
      {system && isFailing && <Outdated error={error} readAt={readAt} onRetry={retry} />}
      {system && <Sections system={system} refresh={refresh} />}
      {!system && !isFailing && <LoadingState label="Loading how the system is doing..." />}
      {!system && isFailing && (
        <ErrorState
          error={error}
          title="Failed to load how the system is doing"
          message={`${failureText(error)} The next attempt comes by itself.`}
          onRetry={retry}
        />
      )}
    </>
  );
}

function Sections({ system, refresh }: { system: System; refresh: () => Promise<unknown> }) {
  const mayAct = usePermission("operations:act");
  const { ask: anyAsk, dialog } = useActions(system.actions, refresh);
  const ask = mayAct ? anyAsk : undefined;
  return (
    <div className="fl-stack">
      <Alerts system={system} />
      <SetAside system={system} ask={ask} />
      <Projections system={system} ask={ask} />
      <StatusCards system={system} ask={ask} />
      <LastDay samples={system.samples} />
      <Services system={system} />
      <RecentActions system={system} />
      {dialog}
    </div>
  );
}

interface OutdatedProps {
  error: unknown;
  /** In milliseconds. */
  readAt: number;
  onRetry: () => void;
}

/** A notice above outdated figures while the server is not reached. */
function Outdated({ error, readAt, onRetry }: OutdatedProps) {
  return (
    <div className={styles.outdated}>
      <Notice role="alert" intent="warning" action={<Button text="Try Again" onClick={onRetry} />}>
        {failureText(error)} This is how it was at {toSeconds(readAt)}.
      </Notice>
    </div>
  );
}

/** The age of the figures; screen readers do not announce it. */
function ReadAt({ moment }: { moment: number }) {
  const now = useNow(MINUTE / 6);
  return (
    <p className="fl-remark">
      As of {toSeconds(moment)}
      {now - moment >= MINUTE && `, ${relativeTime(new Date(moment).toISOString(), now)}`}
    </p>
  );
}

const MINUTE = 60_000;
const time = new Intl.DateTimeFormat("en-IN", { timeStyle: "medium" });

function toSeconds(moment: number): string {
  return time.format(moment);
}

/** Why there are no newer figures. */
function failureText(error: unknown): string {
  if (error instanceof ApiError) return `The server answers with an error (${error.status}).`;
  return "The server is not reached.";
}
