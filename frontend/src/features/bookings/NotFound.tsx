import { EmptyState, LinkButton, PageHeader } from "@/shared/ui";
import { useBackToBookings } from "./paths";

interface NotFoundProps {
  /** The screen's heading, e.g. `Booking Approval`. */
  title: string;
  message: string;
}

/** Says that there is nothing of an id, and leads back to the lists. */
export function NotFound({ title, message }: NotFoundProps) {
  const back = useBackToBookings();
  return (
    <>
      <PageHeader title={title} back={back} />
      <EmptyState title={message} action={<LinkButton to={back.to} text={back.label} />} />
    </>
  );
}
