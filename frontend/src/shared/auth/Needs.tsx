import { type ReactNode, useState } from "react";
import { NoPermission } from "./NoPermission";
import { type Permission, useMissing } from "./permissions";

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
