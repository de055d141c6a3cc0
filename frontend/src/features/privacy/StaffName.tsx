import { usePermission } from "@/shared/auth/permissions";
import { Erased, Hidden } from "@/shared/ui";
import type { StaffMember } from "./staff";

/** What somebody is called; where nobody can tell, why not. */
export function StaffName({ member: { name, state } }: { member: StaffMember }) {
  const seesNames = usePermission("personal:read");
  if (name !== null) return name;
  if (state === "erasing" || state === "erased") return <Erased text="Name erased" />;
  if (!seesNames) return <Hidden text="Name hidden" />;
  return <span className="fl-muted">Name not known</span>;
}
