import type { ReactNode } from "react";
import { SWRConfig } from "swr";
import { NoPastNotice, useAsOf } from "@/shared/asOf";
import { usePermission } from "@/shared/auth/permissions";
import { Section } from "@/shared/form/Section";
import { DownloadButton } from "./DownloadButton";
import { PrivacyActions } from "./PrivacyActions";
import styles from "./privacy.module.css";
import { Standing } from "./Standing";
import type { PrivacyStanding } from "./standing";
import type { PrivacySubject } from "./subject";
import { usePrivacy } from "./usePrivacy";

interface PrivacySectionsProps {
  subject: PrivacySubject;
  standing: PrivacyStanding;
  /** What is held, in the screens' words; how much of it is in the clear is told besides. */
  held: Readonly<Record<string, ReactNode>>;
  /** There is no such record now. */
  isMissing?: boolean;
}

/** How it stands with somebody's data, what is held, and what can be done about it. */
export function PrivacySections({ subject, standing, held, isMissing = false }: PrivacySectionsProps) {
  const { asOf } = useAsOf();
  return (
    <>
      <NoPastNotice what="Restrictions and erasures" />
      {standing.state === "erasing" && (
        <SWRConfig value={CLOSELY}>
          <Followed path={subject.path} />
        </SWRConfig>
      )}
      <Section title="How it stands">
        <Standing subject={subject} standing={standing} isMissing={isMissing} />
        {asOf === null && <PrivacyActions subject={subject} standing={standing} />}
      </Section>
      {standing.state === "erased" && standing.receipt && <Receipt subject={subject} />}
      <Held subject={subject} standing={standing} held={held} />
    </>
  );
}

/** Whoever has asked for an erasure waits for it. In milliseconds. */
const CLOSELY = { refreshInterval: 2_000, dedupingInterval: 1_000 };

/** Has it asked again how it stands. */
function Followed({ path }: { path: string }) {
  usePrivacy(path);
  return null;
}

/** What is known of somebody, without telling it. */
function Held({ subject, standing, held }: PrivacySectionsProps) {
  const { state } = standing;
  const mayTell =
    usePermission("privacy:restrict", "personal:read") && state !== "erasing" && state !== "erased";
  const path = `${subject.path}/privacy/held`;
  return (
    <Section
      title="What is held"
      facts={{
        ...held,
        "In the clear": subject.words.inTheClear(standing),
      }}
    >
      {mayTell && (
        <>
          <div className={styles.actions}>
            <DownloadButton
              text="Page to Print"
              path={`${path}?format=html`}
              fallback={`held-${subject.id}.html`}
            />
            <DownloadButton text="Everything as JSON" path={path} fallback={`held-${subject.id}.json`} />
          </div>
          <p className={`fl-remark ${styles.why}`}>
            For whoever asks what is known of them (GDPR art. 15). That you download it is recorded.
          </p>
        </>
      )}
    </Section>
  );
}

/** The proof that it is gone. */
function Receipt({ subject }: Pick<PrivacySectionsProps, "subject">) {
  return (
    <Section title="Receipt">
      <DownloadButton
        intent="primary"
        text="Download Receipt"
        path={`${subject.path}/privacy/receipt`}
        fallback={`receipt-${subject.id}.json`}
      />
      <p className={styles.why}>
        It is signed, and says what was destroyed, when, who confirmed it and what it does not cover. Anybody
        who has the public key of the log can check it, without this product running:
      </p>
      <code className={styles.command}>./fleetlog privacy check FILE --key public-key</code>
    </Section>
  );
}
