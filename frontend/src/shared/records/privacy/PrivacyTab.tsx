import { useMemo, useState } from "react";
import { SWRConfig } from "swr";
import { isNotFound } from "@/shared/api/client";
import { NoPastNotice, useAsOf } from "@/shared/asOf";
import { usePermission } from "@/shared/auth/permissions";
import { Section } from "@/shared/form/Section";
import { labelOf } from "@/shared/history";
import type { PrivacyStanding } from "@/shared/privacy/standing";
import { EmptyState, ErrorState, LinkButton, LoadingState } from "@/shared/ui";
import { type RecordDefinition, recordPath } from "../definition";
import { fieldLabels } from "../labels";
import { useListAddress } from "../paths";
import { SeenByTab } from "../seen/SeenByTab";
import { useRecord } from "../useRecords";
import { DownloadButton } from "./DownloadButton";
import { PrivacyActions } from "./PrivacyActions";
import styles from "./privacy.module.css";
import { Standing } from "./Standing";
import { usePrivacy } from "./usePrivacy";

interface PrivacyTabProps {
  definition: RecordDefinition;
  id: string;
}

/** What is held of somebody, who has seen it, and what can be done about it: restricted, held, erased. */
export function PrivacyTab({ definition, id }: PrivacyTabProps) {
  const { api, texts, paths } = definition;
  const { data: standing, error } = usePrivacy(api, id);
  const isMissing = isNotFound(useRecord(api, id).error);
  const { asOf } = useAsOf();
  const seesWhoLooked = usePermission("access-log:read");
  const listAddress = useListAddress(paths);

  if (standing === undefined) {
    if (error === undefined) return <LoadingState label="Loading what is held..." />;
    return isNotFound(error) ? (
      <EmptyState {...texts.notFound} action={<LinkButton to={listAddress} text={texts.back} />} />
    ) : (
      <ErrorState
        error={error}
        title="Failed to load what is held"
        onRetry={() => window.location.reload()}
      />
    );
  }
  return (
    <div className="fl-stack">
      <NoPastNotice what="Restrictions and erasures" />
      {standing.state === "erasing" && (
        <SWRConfig value={CLOSELY}>
          <Followed definition={definition} id={id} />
        </SWRConfig>
      )}
      <Section title="How it stands">
        <Standing standing={standing} noun={api.noun} isMissing={isMissing} />
        {asOf === null && <PrivacyActions definition={definition} standing={standing} />}
      </Section>
      {standing.state === "erased" && standing.receipt && <Receipt definition={definition} id={id} />}
      <Held definition={definition} standing={standing} />
      {seesWhoLooked && <Seen definition={definition} id={id} />}
    </div>
  );
}

/** Whoever has asked for an erasure waits for it. In milliseconds. */
const CLOSELY = { refreshInterval: 2_000, dedupingInterval: 1_000 };

/** Has it asked again how it stands. */
function Followed({ definition, id }: PrivacyTabProps) {
  usePrivacy(definition.api, id);
  return null;
}

/** What is known of somebody, without telling it. */
function Held({ definition, standing }: Pick<PrivacyTabProps, "definition"> & { standing: PrivacyStanding }) {
  const { fields, events, in_the_clear, state } = standing;
  const labels = useMemo(() => fieldLabels(definition), [definition]);
  const names = fields.map((field) => labelOf(labels, field));
  const mayTell =
    usePermission("privacy:restrict", "personal:read") && state !== "erasing" && state !== "erased";
  const held = `${recordPath(definition.api, standing.id)}/privacy/held`;
  const sealed =
    state === "erased"
      ? "None of them: their key is destroyed, so that nobody can open them."
      : `None of them: all are sealed under a key of this ${definition.api.noun}'s own, which erasing destroys.`;
  return (
    <Section
      title="What is held"
      facts={{
        "Personal fields": names.length > 0 ? names.join(", ") : <span className="fl-muted">None</span>,
        Events: events,
        "In the clear":
          in_the_clear === 0
            ? sealed
            : `${in_the_clear} of them, from before events were sealed. Erasing hides them from every screen; in the log they stay as they are.`,
      }}
    >
      {mayTell && (
        <>
          <div className={styles.actions}>
            <DownloadButton
              text="Page to Print"
              path={`${held}?format=html`}
              fallback={`held-${standing.id}.html`}
            />
            <DownloadButton text="Everything as JSON" path={held} fallback={`held-${standing.id}.json`} />
          </div>
          <p className={`fl-remark ${styles.why}`}>
            For whoever asks what is known of them (GDPR art. 15). That you download it is recorded.
          </p>
        </>
      )}
    </Section>
  );
}

function Seen({ definition, id }: PrivacyTabProps) {
  // Reading it is recorded as well: only for whoever asks.
  const [isOpen, setOpen] = useState(false);
  return (
    <Section title="Who has seen it">
      <details className={styles.seen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Show who was shown personal data</summary>
        {isOpen && <SeenByTab definition={definition} id={id} />}
      </details>
    </Section>
  );
}

/** The proof that it is gone. */
function Receipt({ definition, id }: PrivacyTabProps) {
  return (
    <Section title="Receipt">
      <DownloadButton
        intent="primary"
        text="Download Receipt"
        path={`${recordPath(definition.api, id)}/privacy/receipt`}
        fallback={`receipt-${id}.json`}
      />
      <p className={styles.why}>
        It is signed, and says what was destroyed, when, who confirmed it and what it does not cover. Anybody
        who has the public key of the log can check it, without this product running:
      </p>
      <code className={styles.command}>./fleetlog privacy check FILE --key public-key</code>
    </Section>
  );
}
