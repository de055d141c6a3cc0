import { Button } from "@blueprintjs/core";
import { Duplicate, EyeOff, EyeOpen, Refresh } from "@blueprintjs/icons";
import { useState } from "react";
import { apiClient } from "@/shared/api/client";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { usePermission } from "@/shared/auth/permissions";
import type { SendKeyed } from "@/shared/form";
import { Section } from "@/shared/form/Section";
import { useCommand } from "@/shared/form/useCommand";
import { MomentText } from "@/shared/format/MomentText";
import type { KindProps, LoadedRecord } from "@/shared/records";
import { useRecordCommands } from "@/shared/records/useRecordCommands";
import { copyText, toast } from "@/shared/toast";
import { ConfirmDialog } from "@/shared/ui/ConfirmDialog";
import { pathOf } from "./deliveries";
import styles from "./notifications.module.css";

/** The secret of a webhook, fetched when it is to be shown, and never cached. */
export function SigningSecret({ definition, loaded }: KindProps & { loaded: LoadedRecord }) {
  const { id, values } = loaded;
  const { update } = useRecordCommands(definition);
  const { run } = useCommand();
  const [shown, setShown] = useState<Wire<"WebhookSecret">>();
  const [asked, setAsked] = useState<"no" | "yes" | "busy">("no");
  const mayReadPersonal = usePermission("personal:read");

  const show = async () => setShown((await apiClient.get<Wire<"WebhookSecret">>(pathOf(id, "secret"))).data);
  const rotate = async (keyed: SendKeyed) => {
    const next = { ...values, secret_generation: String(Number(values.secret_generation) + 1) };
    await keyed(next, (key) => update(loaded, next, key));
    toast.show({ title: "Signing Secret Replaced", intent: "success" });
    await show();
  };
  return (
    <Section title="Signing secret">
      <p className="fl-remark">
        Receivers check with it that a message is from here (Standard Webhooks). Keep it to yourself.
      </p>
      {shown && <code className={styles.secret}>{shown.secret}</code>}
      {shown && shown.previous_until !== null && (
        <p className="fl-remark">
          The previous secret signs, too, until <MomentText moment={shown.previous_until} />.
        </p>
      )}
      <div className={styles.actions}>
        {shown ? (
          <>
            <Button
              icon={<Duplicate />}
              text="Copy"
              onClick={() => void copyText(shown.secret, "Signing secret copied to your clipboard")}
            />
            <Button icon={<EyeOff />} text="Hide" onClick={() => setShown(undefined)} />
          </>
        ) : (
          <Button
            icon={<EyeOpen />}
            text="Show"
            onClick={() => void run("Failed to load the secret", show)}
          />
        )}
        {mayReadPersonal && <Button icon={<Refresh />} text="Rotate…" onClick={() => setAsked("yes")} />}
      </div>
      <ConfirmDialog
        isOpen={asked !== "no"}
        title="Replace Signing Secret"
        message="Messages are signed with a new secret from now on. For 24 hours they are signed with the previous one, too: give the new one to the receiver by then."
        confirmLabel="Replace"
        busyLabel="Replacing..."
        isBusy={asked === "busy"}
        intent="primary"
        onConfirm={() => {
          setAsked("busy");
          void run("Failed to replace the secret", rotate).finally(() => setAsked("no"));
        }}
        onCancel={() => setAsked("no")}
      />
    </Section>
  );
}
