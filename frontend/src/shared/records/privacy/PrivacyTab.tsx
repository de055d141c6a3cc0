import { useMemo, useState } from "react";
import { isNotFound } from "@/shared/api/client";
import { usePermission } from "@/shared/auth/permissions";
import { Section } from "@/shared/form/Section";
import { labelOf } from "@/shared/history";
import { PrivacySections } from "@/shared/privacy/PrivacySections";
import styles from "@/shared/privacy/privacy.module.css";
import { usePrivacy } from "@/shared/privacy/usePrivacy";
import { EmptyState, ErrorState, LinkButton, LoadingState } from "@/shared/ui";
import type { RecordDefinition } from "../definition";
import { fieldLabels } from "../labels";
import { useListAddress } from "../paths";
import { SeenByTab } from "../seen/SeenByTab";
import { useRecord } from "../useRecords";
import { recordSubject } from "./subject";

interface PrivacyTabProps {
  definition: RecordDefinition;
  id: string;
}

/** What is held of somebody, who has seen it, and what can be done about it: restricted, held, erased. */
export function PrivacyTab({ definition, id }: PrivacyTabProps) {
  const { api, texts, paths } = definition;
  const subject = useMemo(() => recordSubject(definition, id), [definition, id]);
  const { data: standing, error } = usePrivacy(subject.path);
  const isMissing = isNotFound(useRecord(api, id).error);
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
  const names = standing.fields.map((field) => labelOf(fieldLabels(definition), field));
  const held = {
    "Personal fields": names.length > 0 ? names.join(", ") : <span className="fl-muted">None</span>,
    Events: standing.events,
  };
  return (
    <div className="fl-stack">
      <PrivacySections subject={subject} standing={standing} held={held} isMissing={isMissing} />
      {seesWhoLooked && <Seen definition={definition} id={id} />}
    </div>
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
