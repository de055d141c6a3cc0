import type { ComponentProps, ReactNode } from "react";
import { NoPastNotice, useAsOf } from "@/shared/asOf";
import { Needs } from "@/shared/auth/Needs";
import type { Permission } from "@/shared/auth/permissions";
import { LinkButton, PageHeader } from "@/shared/ui";

interface PermittedPageProps extends ComponentProps<typeof PageHeader> {
  permissions: readonly Permission[];
  /** What they are needed for, e.g. `see due dates`. */
  to: string;
  /** What is shown here as it is now, whatever moment is in view. */
  ofThePresent?: string;
  children: ReactNode;
}

/** A screen of the management area for those who have its permissions; the way back is, unless told, to the area. */
export function PermittedPage(props: PermittedPageProps) {
  const { addressOf } = useAsOf();
  const { permissions, to, ofThePresent, children, ...header } = props;
  const { back = { to: addressOf("/management"), label: "Back to Management" } } = header;
  return (
    <Needs permissions={permissions} to={to} back={<LinkButton to={back.to} text={back.label} />}>
      <PageHeader {...header} back={back} />
      {ofThePresent && <NoPastNotice what={ofThePresent} />}
      {children}
    </Needs>
  );
}
