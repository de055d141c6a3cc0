import { Erased } from "@/shared/ui";
import { type Actor, actorName, type Masked } from "./changes";
import { isMasked } from "./memberText";

interface ActorTextProps {
  /** An entry that says who has done something. */
  of: Masked & { actor: Actor | null };
}

/** What to call whoever did something; by the subject where the name is gone, and why it is. */
export function ActorText({ of }: ActorTextProps) {
  return (
    <>
      {actorName(of.actor)}
      <NoName of={of} />
    </>
  );
}

/** Why there is no name, for whoever could see it. */
export function NoName({ of }: ActorTextProps) {
  if (of.actor === null || of.actor.name || isMasked(of, "actor.name")) return null;
  return (
    <>
      {" "}
      {of.erased?.includes("actor.name") ? (
        <Erased text="Name erased" />
      ) : (
        <span className="fl-muted">name not known</span>
      )}
    </>
  );
}
