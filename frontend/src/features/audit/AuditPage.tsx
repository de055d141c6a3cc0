import { type Permission, useMe } from "@/shared/auth/permissions";
import { PermittedPage } from "@/shared/frame";
import type { RecordDefinition } from "@/shared/records";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { ScreenTabs } from "@/shared/ui/ScreenTabs";
import { AccessLogTab } from "./AccessLogTab";
import { TrailTab } from "./TrailTab";

const NEEDS = {
  trail: { permission: "audit:read", to: "see the audit trail" },
  access: { permission: "access-log:read", to: "see the access log" },
} as const satisfies Record<string, { permission: Permission; to: string }>;

/** The audit trail and the access log (`tab=access`), a tab each. */
export function AuditPage({ kinds }: { kinds: readonly RecordDefinition[] }) {
  const [params, update] = useAddressParams();
  const { permissions } = useMe();
  const tabs = [
    { id: "trail" as const, title: "Changes", panel: <TrailTab kinds={kinds} /> },
    { id: "access" as const, title: "Access log", panel: <AccessLogTab /> },
  ].filter(({ id }) => permissions.includes(NEEDS[id].permission));
  const asked = params.get("tab") === "access" ? "access" : (tabs[0]?.id ?? "trail");
  return (
    <PermittedPage
      permissions={[NEEDS[asked].permission]}
      to={NEEDS[asked].to}
      title="Audit Trail"
      subtitle="Every change to every record: who made it, when, old and new values"
    >
      <ScreenTabs
        id="audit"
        tabs={tabs}
        open={asked}
        // Keeps the filters, so that returning to the trail restores it.
        onOpen={(id) => update({ tab: id === "access" ? id : null })}
      />
    </PermittedPage>
  );
}
