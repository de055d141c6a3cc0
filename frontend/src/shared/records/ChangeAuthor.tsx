import { useAuthStore } from "@/shared/auth/authStore";
import { MomentText } from "@/shared/format/MomentText";
import type { Change } from "./changes";

/** Who made a change and when: `Rohan Gupta, 21 Nov 2026, 1:05 pm`; oneself is `you, elsewhere`. */
export function ChangeAuthor({ change }: { change: Change }) {
  const ownSub = useAuthStore(({ user }) => user?.sub);
  return (
    <>
      {authorName(change, ownSub)}, <MomentText moment={change.moment} />
    </>
  );
}

/** What to call whoever made a change. */
export function authorName({ actor }: Change, ownSub: string | undefined): string {
  return actor.sub === ownSub ? "you, elsewhere" : (actor.name ?? actor.sub);
}
