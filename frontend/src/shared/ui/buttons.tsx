import { Button, type ButtonProps, Classes, type Intent } from "@blueprintjs/core";
import type { ReactElement } from "react";
import { Link } from "react-router";

interface LinkButtonProps {
  to: string;
  /** The router state of the link. */
  state?: unknown;
  text: string;
  /** An icon component's element, never a name. */
  icon?: ReactElement;
  intent?: Intent;
}

/** A link that looks like a button, for actions that open another screen. */
export function LinkButton({ to, state, text, icon, intent = "none" }: LinkButtonProps) {
  const classes = [Classes.BUTTON, Classes.intentClass(intent)].filter(Boolean).join(" ");
  return (
    <Link to={to} state={state} className={classes}>
      {icon}
      <span className={Classes.BUTTON_TEXT}>{text}</span>
    </Link>
  );
}

/** Attributes of controls without behaviour in the specification. */
export const UNAVAILABLE = { title: "Not available yet", className: "fl-unavailable" } as const;

/** A button without behaviour in the specification (sections 2 and 4). */
export function UnavailableButton(props: Pick<ButtonProps, "text" | "icon" | "aria-label">) {
  return <Button {...props} {...UNAVAILABLE} variant="outlined" />;
}
