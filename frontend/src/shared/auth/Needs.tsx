import { Button } from "@blueprintjs/core";
import { Lock, Refresh } from "@blueprintjs/icons";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { isTyping } from "@/shared/keys";
import { useDocumentTitle } from "@/shared/ui";
import { Facts } from "@/shared/ui/Facts";
import styles from "./NoPermission.module.css";
import { type Me, type Permission, useMe, useMissing } from "./permissions";
import { needText, REFUSAL_TITLE, WHOM_TO_ASK } from "./refusal";
import { renewAccessToken } from "./session";

interface NeedsProps {
  permissions: readonly Permission[];
  /** What they are needed for, e.g. `add a driver`. */
  to: string;
  /** The way back for those who lack them. */
  back: ReactNode;
  /** A screen on which something is typed stays when a permission is withdrawn meanwhile: saving says so then. */
  stays?: boolean;
  children: ReactNode;
}

/** A screen for those who have its permissions; others learn which are missing, and nothing is asked for. */
export function Needs({ permissions, to, back, stays = false, children }: NeedsProps) {
  const missing = useMissing(permissions);
  const isPermitted = missing.length === 0;
  const [wasPermitted, setWasPermitted] = useState(isPermitted);
  if (isPermitted && !wasPermitted) setWasPermitted(true);
  if (isPermitted || (stays && wasPermitted)) return children;
  return <NoPermission missing={missing} to={to} back={back} />;
}

interface NoPermissionProps {
  missing: readonly Permission[];
  /** What they are needed for, e.g. `add a driver`. */
  to: string;
  /** The way back. */
  back: ReactNode;
}

/** Stands where a screen would be that somebody may not see: which permission is missing, and whom to ask. */
function NoPermission({ missing, to, back }: NoPermissionProps) {
  const me = useMe();
  const { name, roles } = me;
  const heading = useRef<HTMLHeadingElement>(null);
  // Whoever has asked may have been given it since; a new access token tells.
  const [checked, setChecked] = useState<Me>();
  useDocumentTitle(REFUSAL_TITLE);
  useEffect(() => {
    if (!isTyping()) heading.current?.focus({ preventScroll: true });
  }, []);

  const check = async () => {
    setChecked(me);
    if ((await renewAccessToken()) === null) setChecked(undefined);
  };

  return (
    <div className={styles.page}>
      <Lock size={24} className={styles.icon} aria-hidden />
      <h1 ref={heading} tabIndex={-1} className={styles.title}>
        {REFUSAL_TITLE}
      </h1>
      <p className={styles.need}>{needText(missing, to)}</p>
      <p className="fl-muted">{WHOM_TO_ASK} Tell them:</p>
      <div className={`fl-card ${styles.facts}`}>
        <Facts
          of={{
            "Signed in as": name,
            ...(roles.length > 0 && { [roles.length > 1 ? "Roles" : "Role"]: roles.join(", ") }),
            Missing: <code>{missing.join(", ")}</code>,
          }}
        />
      </div>
      <div className={styles.actions}>
        {back}
        <Button
          icon={<Refresh />}
          text={checked === me ? "Checking..." : "Check Again"}
          aria-busy={checked === me}
          onClick={() => void check()}
        />
      </div>
      <p className="fl-remark" role="status">
        {checked !== undefined && checked !== me && "Checked: it is still missing."}
      </p>
    </div>
  );
}
