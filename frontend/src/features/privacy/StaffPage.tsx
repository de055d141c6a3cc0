import { useMemo } from "react";
import { useParams } from "react-router";
import { SWRConfig } from "swr";
import { UNASKED_NEVER } from "@/shared/api/queryDefaults";
import { useAsOf } from "@/shared/asOf";
import { OF_PRIVACY, useAnyPermission, usePermission } from "@/shared/auth/permissions";
import { PermittedPage } from "@/shared/frame";
import { PrivacySections } from "@/shared/privacy/PrivacySections";
import { usePrivacy } from "@/shared/privacy/usePrivacy";
import { EmptyState, Hidden, Loaded } from "@/shared/ui";
import { REQUESTS_PATH } from "./paths";
import { StaffName, staffSubject, useStaff } from "./staff";

/** What is known of one of the staff, and what can be done about it. */
export function StaffPage() {
  const { sub = "" } = useParams();
  const { addressOf } = useAsOf();
  const back = { to: addressOf(`${REQUESTS_PATH}?tab=staff`), label: "Back to Privacy Requests" };
  const isPermitted = useAnyPermission(OF_PRIVACY);
  return (
    <PermittedPage
      permissions={isPermitted ? [] : OF_PRIVACY.slice(0, 1)}
      to="see what is known of staff"
      title={sub}
      // The browser keeps titles: not this one.
      tabTitle="Staff"
      subtitle="What is known of one of the staff"
      back={back}
    >
      <Known sub={sub} />
    </PermittedPage>
  );
}

function Known({ sub }: { sub: string }) {
  const subject = useMemo(() => staffSubject(sub), [sub]);
  const query = usePrivacy(subject.path);
  return (
    <Loaded
      query={query}
      what="the data held"
      missing={<EmptyState title="Nobody is known by this ID" message="Nothing was done here under it." />}
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

/** What they are called, for those who may list staff. */
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
