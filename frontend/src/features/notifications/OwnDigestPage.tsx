import { Button, HTMLSelect } from "@blueprintjs/core";
import { Pause, Play, Trash } from "@blueprintjs/icons";
import { useState } from "react";
import { useSWRConfig } from "swr";
import { apiClient } from "@/shared/api/client";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { usePermission } from "@/shared/auth/permissions";
import { LabelledField } from "@/shared/form/LabelledField";
import { Section } from "@/shared/form/Section";
import { useCommand } from "@/shared/form/useCommand";
import { PermittedPage } from "@/shared/frame";
import { toast } from "@/shared/toast";
import { Loaded, Notice, StatusBadge } from "@/shared/ui";
import { STATES } from "./deliveries";
import styles from "./notifications.module.css";

const PATH = "/api/v1/me/digest";

/** The user's own daily e-mail of due dates. */
export function OwnDigestPage() {
  const { data, error } = useApiQuery<Wire<"OwnDigestState">>(PATH);
  const { mutate } = useSWRConfig();
  return (
    <PermittedPage
      permissions={["fleet:read"]}
      to="receive due dates"
      title="My Daily Digest"
      subtitle="Driving licenses and passports that expire soon, by e-mail to your own address"
    >
      <Loaded query={{ data, error }} what="your digest" onRetry={() => void mutate(PATH)}>
        {(state) => <OwnDigest key={JSON.stringify(state)} state={state} reload={() => mutate(PATH)} />}
      </Loaded>
    </PermittedPage>
  );
}

const HOURS = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: `${String(hour).padStart(2, "0")}:00`,
}));
const ZONES = Intl.supportedValuesOf("timeZone");

interface OwnDigestProps {
  state: Wire<"OwnDigestState">;
  reload: () => Promise<unknown>;
}

function OwnDigest({ state: { email, digest }, reload }: OwnDigestProps) {
  const [hour, setHour] = useState(String(digest?.hour ?? 7));
  const [zone, setZone] = useState(digest?.time_zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone);
  const seesNames = usePermission("personal:read");
  const { isBusy, run } = useCommand();
  if (email === null)
    return (
      <Notice role="status" intent="warning">
        Your sign-in names no verified e-mail address. Ask your company’s account administrator.
      </Notice>
    );

  const change = (title: string, send: (idempotencyKey: string) => Promise<unknown>) =>
    void run("Failed to save your digest", async (keyed) => {
      await keyed([title, hour, zone, Date.now()], send);
      toast.show({ title, intent: "success" });
      await reload();
    });
  const save = (title: string, status: "active" | "paused") =>
    change(title, (idempotencyKey) =>
      apiClient.put(PATH, { hour: Number(hour), time_zone: zone, status }, { idempotencyKey }),
    );
  const isPaused = digest?.status === "paused";
  const status = digest?.status ?? "active";
  return (
    <Section
      title="Daily e-mail"
      facts={{
        "Sent to": email,
        Status: digest === null ? "Not set up" : <StatusBadge {...STATES[status]} />,
        Content: seesNames ? "Documents with drivers’ names" : "Documents with drivers’ IDs",
      }}
    >
      <div className={styles.fields}>
        <LabelledField label="Hour">
          {(control) => (
            <HTMLSelect
              {...control}
              fill
              value={hour}
              options={HOURS}
              onChange={({ currentTarget }) => setHour(currentTarget.value)}
            />
          )}
        </LabelledField>
        <LabelledField label="Time zone">
          {(control) => (
            <HTMLSelect
              {...control}
              fill
              value={zone}
              options={[...new Set([zone, ...ZONES])]}
              onChange={({ currentTarget }) => setZone(currentTarget.value)}
            />
          )}
        </LabelledField>
      </div>
      <div className={styles.actions}>
        <Button
          intent="primary"
          text={digest === null ? "Start Digest" : "Save"}
          disabled={isBusy}
          onClick={() => save(digest === null ? "Digest Started" : "Digest Saved", status)}
        />
        {digest !== null && (
          <>
            <Button
              icon={isPaused ? <Play /> : <Pause />}
              text={isPaused ? "Resume" : "Pause"}
              disabled={isBusy}
              onClick={() =>
                save(isPaused ? "Digest Resumed" : "Digest Paused", isPaused ? "active" : "paused")
              }
            />
            <Button
              icon={<Trash />}
              intent="danger"
              variant="outlined"
              text="Remove"
              disabled={isBusy}
              onClick={() =>
                change("Digest Removed", (idempotencyKey) => apiClient.delete(PATH, { idempotencyKey }))
              }
            />
          </>
        )}
      </div>
    </Section>
  );
}
