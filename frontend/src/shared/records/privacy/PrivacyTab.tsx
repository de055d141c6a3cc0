import { useMemo } from "react";
import { isNotFound } from "@/shared/api/client";
import { fieldsOf, wireName } from "@/shared/form";
import { labelOf } from "@/shared/history";
import { PrivacySections } from "@/shared/privacy/PrivacySections";
import type { PrivacySubject } from "@/shared/privacy/standing";
import { usePrivacy } from "@/shared/privacy/usePrivacy";
import { EmptyState, LinkButton, Loaded } from "@/shared/ui";
import { type RecordDefinition, recordPath } from "../definition";
import { useListAddress } from "../paths";
import { useRecord } from "../useRecords";

interface PrivacyTabProps {
  definition: RecordDefinition;
  id: string;
}

/** What is held of somebody, and what can be done about it: restricted, held, erased. */
export function PrivacyTab({ definition, id }: PrivacyTabProps) {
  const { api, texts, paths } = definition;
  const subject = useMemo(() => recordSubject(definition, id), [definition, id]);
  const query = usePrivacy(subject.path);
  const isMissing = isNotFound(useRecord(api, id).error);
  const listAddress = useListAddress(paths);
  return (
    <Loaded
      query={query}
      what="what is held"
      missing={<EmptyState {...texts.notFound} action={<LinkButton to={listAddress} text={texts.back} />} />}
    >
      {(standing) => {
        const names = standing.fields.map((field) => labelOf(definition.labels, field));
        const held = {
          "Personal fields": names.length > 0 ? names.join(", ") : <span className="fl-muted">None</span>,
          Events: standing.events,
        };
        return <PrivacySections subject={subject} standing={standing} held={held} isMissing={isMissing} />;
      }}
    </Loaded>
  );
}

/** A record as one whose data may be restricted and erased. */
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
        "Its personal data is hidden from all who may not restrict, and found by no search. Nothing of it can be changed or removed.",
      restricted: `Nothing of this ${noun} can be changed until that is lifted.`,
      isRestricted: "Personal data is hidden from all who may not restrict, and nothing can be changed.",
      lifting:
        "Its personal data is shown and found again, and it can be changed. That it was restricted stays in its history.",
      lifted: `This ${noun} can be used as before.`,
      inTheClear: ({ in_the_clear, state }) => {
        if (in_the_clear > 0) {
          return `${in_the_clear} of them, from before events were sealed. Erasing hides them from every screen; in the log they stay as they are.`;
        }
        return state === "erased"
          ? "None of them: their key is destroyed, so that nobody can open them."
          : `None of them: all are sealed under a key of this ${noun}'s own, which erasing destroys.`;
      },
      goes: ({ events }) =>
        `The key that all of its personal data is sealed under, and with it every value, reason and name in its ${events} events: in the log, its copies and backups.`,
      stays: `That there was a ${noun} with this ${idLabel.toLowerCase()}, what kind of change was made to it and when, by which subject, and what is personal to nobody.`,
    },
  };
}
