import { Shield } from "@blueprintjs/icons";
import { Link } from "react-router";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { useAsOf } from "@/shared/asOf";
import { PRIVACY_PERMISSIONS, useAnyPermission, usePermission } from "@/shared/auth/permissions";
import { FilterChoice } from "@/shared/form/FilterChoice";
import { capitalized } from "@/shared/format/capitalized";
import { DateText } from "@/shared/format/DateText";
import { MomentText } from "@/shared/format/MomentText";
import { PermittedPage } from "@/shared/frame";
import { BASES, isHeld, type PrivacyRequest, REQUESTS_API, STATES } from "@/shared/privacy/status";
import { ByWhom, DueText } from "@/shared/privacy/texts";
import type { RecordDefinition } from "@/shared/records";
import { viewPath } from "@/shared/records/paths";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { EmptyState, Loaded, StatusBadge } from "@/shared/ui";
import { ScreenTabs } from "@/shared/ui/ScreenTabs";
import { staffPath } from "./routes";
import { LongTable, StaffTab } from "./StaffPages";

interface PrivacyRequestsPageProps {
  kinds: readonly RecordDefinition[];
}

/** Restrictions and erasures, with their grounds and due dates. */
export function PrivacyRequestsPage({ kinds }: PrivacyRequestsPageProps) {
  const isPermitted = useAnyPermission(PRIVACY_PERMISSIONS);
  const mayRestrict = usePermission("privacy:restrict");
  const [params, update] = useAddressParams();
  const tabs = [
    { id: "requests" as const, title: "Requests", panel: <Requests kinds={kinds} /> },
    ...(mayRestrict ? [{ id: "staff" as const, title: "Staff", panel: <StaffTab /> }] : []),
  ];
  return (
    <PermittedPage
      permissions={isPermitted ? [] : PRIVACY_PERMISSIONS.slice(0, 1)}
      to="see privacy requests"
      title="Privacy Requests"
      subtitle="Restrictions and erasures of personal data, with their due dates"
      ofThePresent="Privacy requests"
    >
      <ScreenTabs
        id="privacy"
        tabs={tabs}
        open={mayRestrict && params.get("tab") === "staff" ? "staff" : "requests"}
        onOpen={(id) => update({ tab: id === "staff" ? id : null, q: null, show: null })}
      />
    </PermittedPage>
  );
}

function Requests({ kinds }: PrivacyRequestsPageProps) {
  const query = useApiQuery<Wire<"PrivacyRequests">>(REQUESTS_API);
  const [params, update] = useAddressParams();
  const isAll = params.get("show") === "all";
  return (
    <Loaded query={query} what="privacy requests">
      {({ content }) => {
        if (content.length === 0) {
          return (
            <EmptyState
              icon={<Shield size={24} />}
              title="No privacy requests"
              message="Restrict a record on its Privacy tab, or a member of staff on the Staff tab."
            />
          );
        }
        // The API returns open requests first.
        const open = content.filter(({ state }) => state === "restricted" || state === "erasing");
        const listed = isAll ? content : open;
        return (
          <div className="fl-stack">
            <div className="fl-narrow">
              <FilterChoice
                label="Show"
                all={`Open (${open.length})`}
                choices={[{ value: "all", label: `All (${content.length})` }]}
                value={isAll ? "all" : ""}
                onChange={(value) => update({ show: value === "" ? null : value })}
              />
            </div>
            {listed.length === 0 ? (
              <EmptyState title="No open requests" message="All requests have been answered." />
            ) : (
              <RequestTable kinds={kinds} requests={listed} />
            )}
          </div>
        );
      }}
    </Loaded>
  );
}

function RequestTable({
  kinds,
  requests,
}: PrivacyRequestsPageProps & { requests: readonly PrivacyRequest[] }) {
  return (
    <LongTable
      label="Privacy requests"
      columns={[
        { header: "Record", cell: (request) => <RecordLink request={request} kinds={kinds} /> },
        { header: "Status", cell: (request) => <State request={request} />, place: "state" },
        { header: "Ground", cell: ({ basis }) => basis && BASES[basis].title },
        {
          header: "Restricted",
          cell: ({ asked_at, asked_by, state }) => (
            <>
              {asked_at !== null && <MomentText moment={asked_at} />}
              {asked_by && (
                <span className="fl-remark">
                  <ByWhom actor={asked_by} state={state} />
                </span>
              )}
            </>
          ),
        },
        {
          header: "Answer due",
          cell: ({ due, state }) => due && <DueText due={due} isSettled={state !== "restricted"} />,
        },
        { header: "Legal hold", cell: ({ hold_until }) => hold_until && <DateText date={hold_until} /> },
      ]}
      rows={requests}
      rowKey={({ entity, id, version }) => `${entity} ${id} ${version ?? ""}`}
    />
  );
}

function RecordLink({ request, kinds }: { request: PrivacyRequest; kinds: readonly RecordDefinition[] }) {
  const { addressOf } = useAsOf();
  if (request.entity === "actor")
    return <Link to={addressOf(staffPath(request.id))}>Staff {request.id}</Link>;
  const kind = kinds.find(({ api }) => api.noun === request.entity);
  const text = `${capitalized(request.entity)} ${request.id}`;
  if (kind === undefined) return text;
  return <Link to={addressOf(`${viewPath(kind.paths, request.id)}?tab=privacy`)}>{text}</Link>;
}

function State({ request }: { request: PrivacyRequest }) {
  return (
    <span className="fl-row">
      <StatusBadge {...STATES[request.state]} />
      {request.erased_at !== null && <MomentText moment={request.erased_at} />}
      {request.state === "restricted" && isHeld(request) && <StatusBadge label="Legal hold" tone="warning" />}
    </span>
  );
}
