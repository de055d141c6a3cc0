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
  /** The purpose in the message, e.g. `add a driver`. */
  to: string;
  /** A link shown if permissions are missing. */
  back: ReactNode;
  /** Keep a form open when a permission is withdrawn during editing; saving then reports it. */
  stays?: boolean | undefined;
  children: ReactNode;
}

/** Renders its children with all permissions, and otherwise a screen that names the missing ones. */
export function Needs({ permissions, to, back, stays = false, children }: NeedsProps) {
  const missing = useMissing(permissions);
  const isPermitted = missing.length === 0;
  const [wasPermitted, setWasPermitted] = useState(isPermitted);
  if (isPermitted && !wasPermitted) setWasPermitted(true);
  if (isPermitted || (stays && wasPermitted)) return children;
  return <NoPermission permissions={missing} to={to} back={back} />;
}

function NoPermission({ permissions: missing, to, back }: Omit<NeedsProps, "children">) {
  const me = useMe();
  const { name, roles } = me;
  const heading = useRef<HTMLHeadingElement>(null);
  // A new access token may have the permission.
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
      <Lock size={24} className="fl-muted" aria-hidden />
      <h1 ref={heading} tabIndex={-1} className={`fl-no-ring ${styles.title}`}>
        {REFUSAL_TITLE}
      </h1>
      <p className="fl-prose">{needText(missing, to)}</p>
      <p className="fl-muted">{WHOM_TO_ASK} Include these details:</p>
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
        {checked !== undefined && checked !== me && "Checked: the permission is still missing."}
      </p>
    </div>
  );
}
