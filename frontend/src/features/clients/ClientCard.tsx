import { Button } from "@blueprintjs/core";
import { WarningSign } from "@blueprintjs/icons";
import { DateText } from "@/shared/format/DateText";
import { EmailText } from "@/shared/format/EmailText";
import { formatRupees } from "@/shared/format/rupees";
import { Fact, Facts } from "@/shared/ui/Facts";
import { CardActions, CardHead } from "@/shared/ui/SearchedCards";
import { ClientStatusBadge } from "./ClientStatusBadge";
import { type Client, isNearCreditLimit } from "./clients";
import styles from "./clients.module.css";

/** One client. Its buttons do nothing yet: so the specification has it (section 2). */
export function ClientCard({ client }: { client: Client }) {
  return (
    <>
      <CardHead
        title={client.companyName}
        subtitle={client.id}
        badge={<ClientStatusBadge status={client.status} />}
      />
      <Facts>
        <Fact label="Contact">{client.contactPerson}</Fact>
        <Fact label="Email">
          <EmailText email={client.email} />
        </Fact>
        <Fact label="Phone">{client.phone}</Fact>
        <Fact label="City">{client.city}</Fact>
        <Fact label="Address">{client.address}</Fact>
        <Fact label="Joined">
          <DateText date={client.joinDate} />
        </Fact>
        <Fact label="Bookings">{client.totalBookings}</Fact>
        <Fact label="Credit Limit">{formatRupees(client.creditLimit)}</Fact>
        <Fact label="Outstanding">
          <Outstanding client={client} />
        </Fact>
      </Facts>
      <CardActions>
        <Button text="View Profile" aria-label={`View Profile: ${client.companyName}`} />
        <Button text="New Booking" aria-label={`New Booking: ${client.companyName}`} />
      </CardActions>
    </>
  );
}

function Outstanding({ client }: { client: Client }) {
  const amount = formatRupees(client.outstandingAmount);
  if (!isNearCreditLimit(client)) return amount;
  return (
    <span className={styles.warning}>
      {amount} <WarningSign size={14} title="Above 80% of the credit limit" />
    </span>
  );
}
