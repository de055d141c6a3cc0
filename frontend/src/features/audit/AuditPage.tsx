import { useAsOf } from "@/shared/asOf/useAsOf";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { PageHeader } from "@/shared/ui";
import { ScreenTabs } from "@/shared/ui/ScreenTabs";
import { AccessLogTab } from "./AccessLogTab";
import type { AuditedKind } from "./kinds";
import { TrailTab } from "./TrailTab";

/** Everything that happened to anything, and who looked behind its masks: a tab each (`tab=access`). */
export function AuditPage({ kinds }: { kinds: readonly AuditedKind[] }) {
  const [params, update] = useAddressParams();
  const { addressOf } = useAsOf();
  const tab = params.get("tab") === "access" ? "access" : "trail";

  return (
    <>
      <PageHeader
        title="Audit Trail"
        subtitle="Every change of every record: who made it, when, and from what to what"
        back={{ to: addressOf("/management"), label: "Back to Management" }}
      />
      <ScreenTabs
        id="audit"
        tabs={[
          { id: "trail", title: "Changes", panel: <TrailTab kinds={kinds} /> },
          { id: "access", title: "Access log", panel: <AccessLogTab kinds={kinds} /> },
        ]}
        open={tab}
        // The filters stay: whoever comes back finds the trail as it was.
        onOpen={(id) => update({ tab: id === "access" ? id : null })}
      />
    </>
  );
}
