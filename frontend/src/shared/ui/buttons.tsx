import { Button, Classes, type Intent } from "@blueprintjs/core";
import type { ReactElement } from "react";
import { Link } from "react-router";

interface LinkButtonProps {
  to: string;
  /** Carried along to the other screen. */
  state?: unknown;
  text: string;
  /** An icon component's element, never a name. */
  icon?: ReactElement;
  intent?: Intent;
}

/** A link that looks like a button: for actions that lead to another screen. */
export function LinkButton({ to, state, text, icon, intent = "none" }: LinkButtonProps) {
  const classes = [Classes.BUTTON, Classes.intentClass(intent)].filter(Boolean).join(" ");
  return (
    <Link to={to} state={state} className={classes}>
      {icon}
      <span className={Classes.BUTTON_TEXT}>{text}</span>
    </Link>
  );
}

/** How something looks that the specification gives no behaviour, and what it says of that to whoever listens. */
export const UNAVAILABLE = { title: "Not available yet", className: "fl-unavailable" } as const;

interface UnavailableButtonProps {
  text: string;
  icon?: ReactElement;
  "aria-label"?: string;
}

/** A button that does nothing: so the specification has it (screens, states). */
export function UnavailableButton(props: UnavailableButtonProps) {
  return <Button {...props} {...UNAVAILABLE} variant="outlined" />;
}
