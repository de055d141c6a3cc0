import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { usePermission } from "@/shared/auth/permissions";
import type { PrivacySubject } from "@/shared/privacy/status";
import { Erased, Hidden } from "@/shared/ui";

/** A person who has changed or seen something, by the identity provider's subject. */
export type StaffMember = Wire<"KnownActor">;

const STAFF_API = "/api/v1/actors";

export function useStaff() {
  return useApiQuery<Wire<"KnownActors">>(STAFF_API);
}

/** A member of staff as the subject of privacy commands. */
export function staffSubject(sub: string): PrivacySubject {
  return {
    id: sub,
    noun: "person",
    path: `${STAFF_API}/${encodeURIComponent(sub)}`,
    listedAt: [STAFF_API],
    words: {
      restricting:
        "Histories, the audit trail and the access log show their ID instead of the name to everyone without the permission privacy:restrict. They can continue to work.",
      restricted: "Their ID is shown instead of their name until the restriction is lifted.",
      isRestricted: "Their name is hidden from everyone without the permission privacy:restrict.",
      lifting: "Their name is shown again.",
      lifted: "Their name is shown as before.",
      inTheClear: ({ in_the_clear, state }) => {
        if (in_the_clear > 0) {
          return `${in_the_clear} events have the name unencrypted, from before names were encrypted. Erasing hides it on all screens, but not in the log.`;
        }
        return state === "erased"
          ? "No event has a readable name: its key is destroyed."
          : "No event has the name unencrypted: a key of this person encrypts it, and erasing destroys that key.";
      },
      goes: () =>
        "The key that encrypts their names, and with it all their names: in the log, its copies and backups. Later events have no name either.",
      stays:
        "Their changes and accesses, with times, under an ID that only the identity provider can resolve.",
    },
  };
}

/** The name, or the reason why there is none. */
export function StaffName({ member: { name, state } }: { member: StaffMember }) {
  const seesNames = usePermission("personal:read");
  if (name !== null) return name;
  if (state === "erasing" || state === "erased") return <Erased text="Name erased" />;
  if (!seesNames) return <Hidden text="Name hidden" />;
  return <span className="fl-muted">Name not known</span>;
}
