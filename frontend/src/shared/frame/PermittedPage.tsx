import type { ComponentProps, ReactNode } from "react";
import { NoPastNotice, useAsOf } from "@/shared/asOf";
import { Needs } from "@/shared/auth/Needs";
import type { Permission } from "@/shared/auth/permissions";
import { LinkButton, PageHeader } from "@/shared/ui";

interface PermittedPageProps extends ComponentProps<typeof PageHeader> {
  permissions: readonly Permission[];
  /** The purpose in the message, e.g. `see due dates`. */
  to: string;
  /** The name of content that shows the present, also with a moment of the past in view. */
  ofThePresent?: string;
  /** Keep a form open when a permission is withdrawn during editing. */
  stays?: boolean;
  children: ReactNode;
}

/** A screen that needs permissions; by default with a link back to the Management Center. */
export function PermittedPage(props: PermittedPageProps) {
  const { addressOf } = useAsOf();
  const { permissions, to, ofThePresent, stays, children, ...header } = props;
  const { back = { to: addressOf("/management"), label: "Back to Management" } } = header;
  return (
    <Needs {...{ permissions, to, stays }} back={<LinkButton to={back.to} text={back.label} />}>
      <PageHeader {...header} back={back} />
      {ofThePresent && <NoPastNotice what={ofThePresent} />}
      {children}
    </Needs>
  );
}
