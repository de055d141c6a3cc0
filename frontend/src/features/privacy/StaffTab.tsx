import { Button } from "@blueprintjs/core";
import { Shield } from "@blueprintjs/icons";
import { useState } from "react";
import { Link } from "react-router";
import { SWRConfig } from "swr";
import { UNASKED_NEVER } from "@/shared/api/queryDefaults";
import { useAsOf } from "@/shared/asOf";
import { MomentText } from "@/shared/format/MomentText";
import { STATES } from "@/shared/privacy/status";
import { createRowSearch } from "@/shared/table/search";
import { TableSearch } from "@/shared/table/TableSearch";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { EmptyState, Loaded, StatusBadge } from "@/shared/ui";
import { PlainTable } from "@/shared/ui/PlainTable";
import styles from "./privacy.module.css";
import { staffPath } from "./routes";
import { type StaffMember, StaffName, useStaff } from "./staff";

/** Rows rendered at once. */
const STEP = 100;

const search = createRowSearch<StaffMember>(({ sub, name }) => [sub, name ?? ""]);

/** All people named in the logs, each with a link to their page. */
export function StaffTab() {
  return (
    <SWRConfig value={UNASKED_NEVER}>
      <Staff />
    </SWRConfig>
  );
}

function Staff() {
  const query = useStaff();
  return (
    <Loaded query={query} what="staff">
      {({ content }) =>
        content.length === 0 ? (
          <EmptyState
            icon={<Shield size={24} />}
            title="No staff yet"
            message="People who change records or see personal data are listed here."
          />
        ) : (
          <Listed staff={content} />
        )
      }
    </Loaded>
  );
}

function Listed({ staff }: { staff: readonly StaffMember[] }) {
  const [params, update] = useAddressParams();
  const [shown, setShown] = useState(STEP);
  const found = search(staff, params.get("q") ?? "");
  return (
    <div className="fl-stack">
      <div className={styles.search}>
        <TableSearch
          value={params.get("q") ?? ""}
          placeholder="Search by name or ID"
          onChange={(text) => update({ q: text || null })}
        />
      </div>
      {found.length === 0 ? (
        <EmptyState title="No staff found" message="No names or IDs match." />
      ) : (
        <div className={`fl-card ${styles.table}`}>
          <PlainTable
            label="Staff"
            columns={[
              { header: "Name", cell: (member) => <NameLink member={member} /> },
              { header: "Status", cell: ({ state }) => <StatusBadge {...STATES[state]} />, place: "state" },
              { header: "ID", cell: ({ sub }) => sub, kind: "code" },
              { header: "Known since", cell: ({ since }) => since && <MomentText moment={since} /> },
            ]}
            rows={found.slice(0, shown)}
            rowKey={({ sub }) => sub}
            hasCards
          />
        </div>
      )}
      {found.length > shown && (
        <Button className={styles.more ?? ""} text="Show more" onClick={() => setShown(shown + STEP)} />
      )}
    </div>
  );
}

/** A link by name, or by ID with the reason why there is no name. */
function NameLink({ member }: { member: StaffMember }) {
  const { addressOf } = useAsOf();
  const { sub, name } = member;
  return (
    <>
      <Link to={addressOf(staffPath(sub))}>{name ?? sub}</Link>
      {name === null && " "}
      {name === null && <StaffName member={member} />}
    </>
  );
}
