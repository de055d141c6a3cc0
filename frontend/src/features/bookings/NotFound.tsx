import { EmptyState, LinkButton, PageHeader } from "@/shared/ui";
import { BACK_TO_BOOKINGS, useBookingsAddress } from "./paths";

interface NotFoundProps {
  /** The screen's heading, e.g. `Booking Approval`. */
  title: string;
  message: string;
}

/** Says that there is nothing of an id, and leads back to the lists. */
export function NotFound({ title, message }: NotFoundProps) {
  const back = useBookingsAddress();
  return (
    <>
      <PageHeader title={title} back={{ to: back, label: BACK_TO_BOOKINGS }} />
      <EmptyState title={message} action={<LinkButton to={back} text={BACK_TO_BOOKINGS} />} />
    </>
  );
}
