import { Button } from "@blueprintjs/core";
import { useEffect, useState } from "react";
import { type SWRConfiguration, useSWRConfig } from "swr";
import { ApiError, type ApiResponse } from "@/shared/api/client";
import { useApiQuery } from "@/shared/api/useApiQuery";
import { NoPastNotice, useAsOf } from "@/shared/asOf";
import { Needs } from "@/shared/auth/Needs";
import { usePermission } from "@/shared/auth/permissions";
import { relativeTime } from "@/shared/format/relativeTime";
import { useNow } from "@/shared/format/useNow";
import { LinkButton, Loaded, Notice, PageHeader, StatusBadge } from "@/shared/ui";
import { Alerts } from "./Alerts";
import { LastDay } from "./LastDay";
import { Projections, Quarantine, RecentActions, Services, StatusCards } from "./sections";
import { isUnderWay, retryingEvery, STATE_API, STATES, type System } from "./systemState";
import { useActions } from "./useActions";

export function SystemPage() {
  const { addressOf } = useAsOf();
  const back = { to: addressOf("/management"), label: "Back to Management" };
  return (
    <Needs
      permissions={["operations:read"]}
      to="see the system status"
      back={<LinkButton to={back.to} text={back.label} />}
    >
      <LiveSystem back={back} />
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
      {system && isFailing && (
        <div className="fl-sticky fl-surface">
          <Notice role="alert" intent="warning" action={<Button text="Try Again" onClick={retry} />}>
            {failureText(error)} Showing data from {time.format(readAt)}.
          </Notice>
        </div>
      )}
      <Loaded
        query={{ data: system, error }}
        what="the system status"
        loading="Loading system status..."
        message={`${failureText(error)} Retrying automatically.`}
        onRetry={retry}
      >
        {(loaded) => <Sections system={loaded} refresh={refresh} />}
      </Loaded>
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
      <Quarantine system={system} ask={ask} />
      <Projections system={system} ask={ask} />
      <StatusCards system={system} ask={ask} />
      <LastDay samples={system.samples} />
      <Services system={system} />
      <RecentActions system={system} />
      {dialog}
    </div>
  );
}

/** The age of the figures; screen readers do not announce it. */
function ReadAt({ moment }: { moment: number }) {
  const now = useNow(MINUTE / 6);
  return (
    <p className="fl-remark">
      As of {time.format(moment)}
      {now - moment >= MINUTE && `, ${relativeTime(new Date(moment).toISOString(), now)}`}
    </p>
  );
}

const MINUTE = 60_000;
const time = new Intl.DateTimeFormat("en-IN", { timeStyle: "medium" });

function failureText(error: unknown): string {
  if (error instanceof ApiError) return `The server returned an error (${error.status}).`;
  return "The server cannot be reached.";
}

const SYSTEM_API = "/api/v1/system";
const NORMAL = 5_000;
const FAST = 2_500;

/** Polling of the open screen: faster while an action runs, paused while the page is hidden. */
const LIVE: SWRConfiguration = {
  refreshInterval: (latest?: ApiResponse<System>) => (latest?.data.actions.some(isUnderWay) ? FAST : NORMAL),
  ...retryingEvery(NORMAL),
};

/** The system's status, the time in milliseconds when it was read, and a function to read it again. */
function useSystem() {
  const { answer, data: system, error } = useApiQuery<System>(SYSTEM_API, LIVE);
  const { mutate } = useSWRConfig();
  const [readAt, setReadAt] = useState(() => Date.now());

  useEffect(() => {
    if (answer === undefined) return;
    setReadAt(Date.now());
    // Keeps the header's state the same as the screen's.
    void mutate(STATE_API, { ...answer, data: { state: answer.data.state } }, { revalidate: false });
  }, [answer, mutate]);

  return { system, readAt, error, refresh: () => mutate<ApiResponse<System>>(SYSTEM_API) };
}
