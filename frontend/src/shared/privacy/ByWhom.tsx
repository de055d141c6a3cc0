import { ActorText } from "@/shared/history";
import type { PrivacyStanding } from "./standing";

interface ByWhomProps {
  actor: NonNullable<PrivacyStanding["asked_by"]>;
  state: PrivacyStanding["state"];
}

/** Who has restricted or erased: their names go with what is erased. */
export function ByWhom({ actor, state }: ByWhomProps) {
  const isGone = state === "erasing" || state === "erased";
  const fields = ["actor.name"];
  return <ActorText of={{ actor, ...(isGone ? { erased: fields } : { masked: fields }) }} />;
}
