import { useMemo } from "react";
import { isNotFound } from "@/shared/api/client";
import { fieldsOf, wireName } from "@/shared/form";
import { counted } from "@/shared/format/counted";
import { labelOf } from "@/shared/history";
import { PrivacySections } from "@/shared/privacy/PrivacySections";
import type { PrivacySubject } from "@/shared/privacy/status";
import { usePrivacy } from "@/shared/privacy/usePrivacy";
import { EmptyState, LinkButton, Loaded } from "@/shared/ui";
import { type RecordDefinition, type RecordProps, recordPath } from "../definition";
import { useListAddress } from "../paths";
import { useRecord } from "../useRecords";

/** The personal data held in a record, and its restriction, legal hold and erasure. */
export function PrivacyTab({ definition, id }: RecordProps) {
  const { api, texts, paths } = definition;
  const subject = useMemo(() => recordSubject(definition, id), [definition, id]);
  const query = usePrivacy(subject.path);
  const isMissing = isNotFound(useRecord(api, id).error);
  const listAddress = useListAddress(paths);
  return (
    <Loaded
      query={query}
      what="the data held"
      missing={<EmptyState {...texts.notFound} action={<LinkButton to={listAddress} text={texts.back} />} />}
    >
      {(status) => {
        const names = status.fields.map((field) => labelOf(definition.labels, field));
        const held = {
          "Personal fields": names.length > 0 ? names.join(", ") : <span className="fl-muted">None</span>,
          Events: status.events,
        };
        return <PrivacySections subject={subject} status={status} held={held} isMissing={isMissing} />;
      }}
    </Loaded>
  );
}

/** The subject of privacy commands for a record. */
function recordSubject({ api, sections }: RecordDefinition, id: string): PrivacySubject {
  const { noun } = api;
  const idLabel = fieldsOf(sections).find((field) => wireName(field) === "id")?.label ?? "ID";
  return {
    id,
    noun,
    path: recordPath(api, id),
    listedAt: [api.path],
    words: {
      restricting:
        "Its personal data is hidden from everyone without the privacy:restrict permission and from searches. It cannot be changed or removed.",
      restricted: `This ${noun} cannot be changed until the restriction is lifted.`,
      isRestricted:
        "Personal data is hidden from everyone without the privacy:restrict permission, and nothing can be changed.",
      lifting:
        "Its personal data is shown and found again, and it can be changed. The restriction stays in its history.",
      lifted: `This ${noun} can be used as before.`,
      inTheClear: ({ in_the_clear, state }) => {
        if (in_the_clear > 0) {
          return `${counted(in_the_clear, "event")} from before encryption. Erasing hides them on every screen; they stay in the log.`;
        }
        return state === "erased"
          ? "None. The key is destroyed: the events can no longer be decrypted."
          : `None. All events are encrypted with this ${noun}'s own key, which erasing destroys.`;
      },
      goes: ({ events }) =>
        `The key of its personal data, and with it every value, reason and name in its ${events} events: in the log, its copies and backups.`,
      stays: `The ${idLabel.toLowerCase()} of the ${noun}, the kind, time and author's ID of each change, and values that are not personal.`,
    },
  };
}
