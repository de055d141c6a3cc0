import { useAsOf } from "@/shared/asOf";
import { MomentText } from "@/shared/format/MomentText";
import { actorName } from "@/shared/history";
import { usePrivacy } from "@/shared/privacy/usePrivacy";
import { LinkButton, Notice } from "@/shared/ui";
import { type RecordDefinition, recordPath } from "../definition";
import { viewPath } from "../paths";

interface RestrictedNoticeProps {
  definition: RecordDefinition;
  id: string;
}

/** Tells those who see all of a restricted record that it is restricted; others see that by what is hidden. */
export function RestrictedNotice({ definition, id }: RestrictedNoticeProps) {
  const { data: standing } = usePrivacy(recordPath(definition.api, id));
  const { addressOf } = useAsOf();
  if (standing?.state !== "restricted") return null;
  const { asked_at, asked_by } = standing;
  return (
    <Notice
      role="status"
      intent="warning"
      action={<LinkButton to={addressOf(`${viewPath(definition.paths, id)}?tab=privacy`)} text="Privacy" />}
    >
      Restricted
      {asked_at !== null && (
        <>
          {" "}
          since <MomentText moment={asked_at} />
        </>
      )}
      {asked_by && ` by ${actorName(asked_by)}`}: hidden from others, and nothing can be changed.
    </Notice>
  );
}
