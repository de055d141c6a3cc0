import { useAsOf } from "@/shared/asOf";
import { MomentText } from "@/shared/format/MomentText";
import { actorName } from "@/shared/history";
import { usePrivacy } from "@/shared/privacy/usePrivacy";
import { LinkButton, Notice } from "@/shared/ui";
import { type RecordProps, recordPath } from "../definition";
import { viewPath } from "../paths";

/** A notice for users who see a restricted record unmasked. */
export function RestrictedNotice({ definition, id }: RecordProps) {
  const { data: status } = usePrivacy(recordPath(definition.api, id));
  const { addressOf } = useAsOf();
  if (status?.state !== "restricted") return null;
  const { asked_at, asked_by } = status;
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
