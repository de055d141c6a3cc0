import { Button } from "@blueprintjs/core";
import type { ReactElement } from "react";

/** How something looks that the specification gives no behaviour, and what it says of that to whoever listens. */
export const UNAVAILABLE = { title: "Not available yet", className: "fl-unavailable" } as const;

interface UnavailableButtonProps {
  text: string;
  icon?: ReactElement;
  "aria-label"?: string;
}

/** A button that does nothing: so the specification has it (sections 2 and 4). */
export function UnavailableButton(props: UnavailableButtonProps) {
  return <Button {...props} {...UNAVAILABLE} variant="outlined" />;
}
