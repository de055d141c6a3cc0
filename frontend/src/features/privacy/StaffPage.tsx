import { useMemo } from "react";
import { useParams } from "react-router";
import { SWRConfig } from "swr";
import { UNASKED_NEVER } from "@/shared/api/queryDefaults";
import { useAsOf } from "@/shared/asOf";
import { PRIVACY_PERMISSIONS, useAnyPermission, usePermission } from "@/shared/auth/permissions";
import { PermittedPage } from "@/shared/frame";
import { PrivacySections } from "@/shared/privacy/PrivacySections";
import { usePrivacy } from "@/shared/privacy/usePrivacy";
import { EmptyState, Hidden, Loaded } from "@/shared/ui";
import { REQUESTS_PATH } from "./routes";
import { StaffName, staffSubject, useStaff } from "./staff";

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
  if (!usePermission("privacy:restrict")) return <Hidden />;
  return (
    <SWRConfig value={{ ...UNASKED_NEVER, revalidateIfStale: false }}>
      <Listed sub={sub} />
    </SWRConfig>
  );
}

function Listed({ sub }: { sub: string }) {
  const member = useStaff().data?.content.find((one) => one.sub === sub);
  return member && <StaffName member={member} />;
}
