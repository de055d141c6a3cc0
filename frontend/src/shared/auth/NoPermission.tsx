import { Button } from "@blueprintjs/core";
import { Lock, Refresh } from "@blueprintjs/icons";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { isTyping } from "@/shared/keys";
import { useDocumentTitle } from "@/shared/ui";
import { Facts } from "@/shared/ui/Facts";
import styles from "./NoPermission.module.css";
import { type Me, type Permission, useMe } from "./permissions";
import { needText, REFUSAL_TITLE, WHOM_TO_ASK } from "./refusal";
import { renewAccessToken } from "./session";

interface NoPermissionProps {
  missing: readonly Permission[];
  /** What they are needed for, e.g. `add a driver`. */
  to: string;
  /** The way back. */
  back: ReactNode;
}

/** Stands where a screen would be that somebody may not see: which permission is missing, and whom to ask. */
export function NoPermission({ missing, to, back }: NoPermissionProps) {
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
