import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { usePermission } from "@/shared/auth/permissions";
import type { PrivacySubject } from "@/shared/privacy/status";
import { Erased, Hidden } from "@/shared/ui";

/** Whoever has acted here, or was shown something: by what the identity provider calls them. */
export type StaffMember = Wire<"KnownActor">;

const STAFF_API = "/api/v1/actors";

/** All of them, by name. */
export function useStaff() {
  return useApiQuery<Wire<"KnownActors">>(STAFF_API);
}

/** One of them as somebody whose data may be restricted and erased. */
export function staffSubject(sub: string): PrivacySubject {
  return {
    id: sub,
    noun: "person",
    path: `${STAFF_API}/${encodeURIComponent(sub)}`,
    listedAt: [STAFF_API],
    words: {
      restricting:
        "Their name is hidden from all who may not restrict: their ID stands in its place, in histories, the audit trail and the access log. They can go on working.",
      restricted: "Their ID stands in the place of their name until that is lifted.",
      isRestricted: "Their name is hidden from all who may not restrict.",
      lifting: "Their name is shown again.",
      lifted: "Their name is shown as before.",
      inTheClear: ({ in_the_clear, state }) => {
        if (in_the_clear > 0) {
          return `${in_the_clear} of them have the name, from before names were sealed. Erasing hides it from every screen; in the log it stays.`;
        }
        return state === "erased"
          ? "None of them has the name: its key is destroyed, so that nobody can open it."
          : "None of them has the name: it is sealed under a key of this person's own, which erasing destroys.";
      },
      goes: () =>
        "The key that their names are sealed under, and with it whatever they were called: in the log, its copies and backups. What they do later has no name either.",
      stays:
        "What they did and were shown, and when, under their ID, which tells the identity provider alone who it is.",
    },
  };
}

/** What somebody is called; where nobody can tell, why not. */
export function StaffName({ member: { name, state } }: { member: StaffMember }) {
  const seesNames = usePermission("personal:read");
  if (name !== null) return name;
  if (state === "erasing" || state === "erased") return <Erased text="Name erased" />;
  if (!seesNames) return <Hidden text="Name hidden" />;
  return <span className="fl-muted">Name not known</span>;
}
