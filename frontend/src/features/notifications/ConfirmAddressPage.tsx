import { Button } from "@blueprintjs/core";
import { useState } from "react";
import { ApiError, apiClient } from "@/shared/api/client";
import { failureText } from "@/shared/auth/refusal";
import { Section } from "@/shared/form/Section";
import { PermittedPage } from "@/shared/frame";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { Notice } from "@/shared/ui";
import { pathOf } from "./deliveries";
import styles from "./notifications.module.css";

/** Confirms an address by the link that was mailed to it. */
export function ConfirmAddressPage() {
  return (
    <PermittedPage
      permissions={["personal:read"]}
      to="confirm an address"
      title="Confirm Address"
      subtitle="For the e-mail address that received the link"
    >
      <Confirm />
    </PermittedPage>
  );
}

function Confirm() {
  const [params] = useAddressParams();
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<{ isDone: boolean; text: string }>();
  const link = params.get("link") ?? "";
  const [subscription = ""] = link.split(".");
  const confirm = async () => {
    setBusy(true);
    try {
      await apiClient.post(pathOf(subscription, "confirmations"), { link });
      setOutcome({ isDone: true, text: "The address is confirmed. The next e-mails to it name drivers." });
    } catch (error) {
      setOutcome({ isDone: false, text: failureOf(error) });
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {outcome && (
        <Notice role={outcome.isDone ? "status" : "alert"} intent={outcome.isDone ? "success" : "danger"}>
          {outcome.text}
        </Notice>
      )}
      {!outcome?.isDone && (
        <Section title="Drivers' names in e-mails">
          <p>
            After this, e-mails of {subscription || "the subscription"} to this address contain the names of
            drivers. Confirm only if everyone who reads this mailbox may see personal data. Each e-mail is
            recorded under “Who has seen this”, with your name. The confirmation ends when you may no longer
            see personal data, or have not signed in for 90 days.
          </p>
          <div className={styles.actions}>
            <Button intent="primary" text="Confirm Address" loading={isBusy} onClick={() => void confirm()} />
          </div>
        </Section>
      )}
    </>
  );
}

function failureOf(error: unknown): string {
  const status = error instanceof ApiError ? error.status : undefined;
  if (status === 410) return "The link has expired. “Send a test” of the subscription mails another link.";
  if (status === 404 || status === 422) return "The link is not valid: the address may have been removed.";
  return failureText(error);
}
