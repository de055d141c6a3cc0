import { Button } from "@blueprintjs/core";
import { Shield } from "@blueprintjs/icons";
import { type ComponentProps, useMemo, useState } from "react";
import { Link, useParams } from "react-router";
import type { SWRConfiguration } from "swr";
import { UNASKED_NEVER } from "@/shared/api/queryDefaults";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { useAsOf } from "@/shared/asOf";
import { PRIVACY_PERMISSIONS, useAnyPermission, usePermission } from "@/shared/auth/permissions";
import { MomentText } from "@/shared/format/MomentText";
import { PermittedPage } from "@/shared/frame";
import { PrivacySections } from "@/shared/privacy/PrivacySections";
import { type PrivacySubject, STATES } from "@/shared/privacy/status";
import { usePrivacy } from "@/shared/privacy/usePrivacy";
import { createRowSearch } from "@/shared/table/search";
import { TableSearch } from "@/shared/table/TableSearch";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { EmptyState, Erased, Hidden, Loaded, StatusBadge } from "@/shared/ui";
import { PlainTable } from "@/shared/ui/PlainTable";
import styles from "./privacy.module.css";
import { REQUESTS_PATH, staffPath } from "./routes";

/** The personal data of a member of staff, and the privacy commands. */
export function StaffPage() {
  const { sub = "" } = useParams();
  const { addressOf } = useAsOf();
  const back = { to: addressOf(`${REQUESTS_PATH}?tab=staff`), label: "Back to Privacy Requests" };
  const isPermitted = useAnyPermission(PRIVACY_PERMISSIONS);
  return (
    <PermittedPage
      permissions={isPermitted ? [] : PRIVACY_PERMISSIONS.slice(0, 1)}
      to="see the personal data of staff"
      title={sub}
      // The title stays in the browser's history, so it has no name.
      tabTitle="Staff"
      subtitle="Personal data of a member of staff"
      back={back}
    >
      <PersonalData sub={sub} />
    </PermittedPage>
  );
}

function PersonalData({ sub }: { sub: string }) {
  const subject = useMemo(() => staffSubject(sub), [sub]);
  const query = usePrivacy(subject.path);
  return (
    <Loaded
      query={query}
      what="the data held"
      missing={<EmptyState title="Unknown ID" message="No changes or accesses are logged under this ID." />}
    >
      {(status) => (
        <PrivacySections
          subject={subject}
          status={status}
          held={{ Name: <Name sub={sub} />, "Events by them": status.events }}
        />
      )}
    </Loaded>
  );
}

/** The name, for users who may list staff. */
function Name({ sub }: { sub: string }) {
  const mayList = usePermission("privacy:restrict");
  const member = useStaff(mayList, { revalidateIfStale: false }).data?.content.find((one) => one.sub === sub);
  return mayList ? member && <StaffName member={member} /> : <Hidden />;
}

/** A table on a card, with further rows on demand. */
export function LongTable<Row>({ rows, ...table }: ComponentProps<typeof PlainTable<Row>>) {
  const [shown, setShown] = useState(100);
  return (
    <>
      <div className={`fl-card ${styles.table}`}>
        <PlainTable {...table} rows={rows.slice(0, shown)} hasCards />
      </div>
      {rows.length > shown && (
        <Button className="fl-at-start" text="Show more" onClick={() => setShown(shown + 100)} />
      )}
    </>
  );
}

const search = createRowSearch<StaffMember>(({ sub, name }) => [sub, name ?? ""]);

/** All people named in the logs, each with a link to their page. */
export function StaffTab() {
  const query = useStaff();
  const [params, update] = useAddressParams();
  const q = params.get("q") ?? "";
  return (
    <Loaded query={query} what="staff">
      {({ content }) => {
        if (content.length === 0) {
          return (
            <EmptyState
              icon={<Shield size={24} />}
              title="No staff yet"
              message="People who change records or see personal data are listed here."
            />
          );
        }
        const found = search(content, q);
        return (
          <div className="fl-stack">
            <div className={styles.search}>
              <TableSearch
                value={q}
                placeholder="Search by name or ID"
                onChange={(text) => update({ q: text || null })}
              />
            </div>
            {found.length === 0 ? (
              <EmptyState title="No staff found" message="No names or IDs match." />
            ) : (
              <LongTable
                label="Staff"
                columns={[
                  { header: "Name", cell: (member) => <NameLink member={member} /> },
                  {
                    header: "Status",
                    cell: ({ state }) => <StatusBadge {...STATES[state]} />,
                    place: "state",
                  },
                  { header: "ID", cell: ({ sub }) => sub, kind: "code" },
                  { header: "Known since", cell: ({ since }) => since && <MomentText moment={since} /> },
                ]}
                rows={found}
                rowKey={({ sub }) => sub}
              />
            )}
          </div>
        );
      }}
    </Loaded>
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

/** A person who has changed or seen something, by the identity provider's subject. */
export type StaffMember = Wire<"KnownActor">;

const STAFF_API = "/api/v1/actors";

function useStaff(isAsked = true, config: SWRConfiguration = {}) {
  return useApiQuery<Wire<"KnownActors">>(isAsked ? STAFF_API : null, { ...UNASKED_NEVER, ...config });
}

/** A member of staff as the subject of privacy commands. */
function staffSubject(sub: string): PrivacySubject {
  return {
    id: sub,
    noun: "person",
    path: `${STAFF_API}/${encodeURIComponent(sub)}`,
    listedAt: [STAFF_API],
    words: {
      restricting:
        "Histories, the audit trail and the access log show their ID instead of the name to everyone without the privacy:restrict permission. They can continue to work.",
      restricted: "Their ID is shown instead of their name until the restriction is lifted.",
      isRestricted: "Their name is hidden from everyone without the privacy:restrict permission.",
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
function StaffName({ member: { name, state } }: { member: StaffMember }) {
  const seesNames = usePermission("personal:read");
  if (name !== null) return name;
  if (state === "erasing" || state === "erased") return <Erased text="Name erased" />;
  if (!seesNames) return <Hidden text="Name hidden" />;
  return <span className="fl-muted">Name not known</span>;
}
