import { useMemo } from "react";
import { isNotFound } from "@/shared/api/client";
import { labelOf } from "@/shared/history";
import { PrivacySections } from "@/shared/privacy/PrivacySections";
import { usePrivacy } from "@/shared/privacy/usePrivacy";
import { EmptyState, ErrorState, LinkButton, LoadingState } from "@/shared/ui";
import type { RecordDefinition } from "../definition";
import { fieldLabels } from "../labels";
import { useListAddress } from "../paths";
import { useRecord } from "../useRecords";
import { recordSubject } from "./subject";

interface PrivacyTabProps {
  definition: RecordDefinition;
  id: string;
}

/** What is held of somebody, and what can be done about it: restricted, held, erased. */
export function PrivacyTab({ definition, id }: PrivacyTabProps) {
  const { api, texts, paths } = definition;
  const subject = useMemo(() => recordSubject(definition, id), [definition, id]);
  const { data: standing, error } = usePrivacy(subject.path);
  const isMissing = isNotFound(useRecord(api, id).error);
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
    </div>
  );
}
