import { Tag, type TagProps } from "@blueprintjs/core";
import { WarningSign } from "@blueprintjs/icons";
import { EmailLink, PhoneLink } from "@/shared/format/ContactLinks";
import { DateText } from "@/shared/format/DateText";
import { formatRupees } from "@/shared/format/rupees";
import { CardsPage } from "@/shared/ui/CardsPage";
import {
  type Client,
  type ClientStatus,
  clientSearchFields,
  isNearCreditLimit,
  sampleClients,
} from "./clients";
import styles from "./clients.module.css";

/** The badge of each status (spec, section 4). */
const STATUS_LOOKS: Readonly<Record<ClientStatus, TagProps>> = {
  Active: { intent: "primary" },
  Inactive: { minimal: true },
  Pending: { className: styles.outline ?? "" },
  Suspended: { intent: "danger" },
};

export function ClientsPage() {
  return (
    <CardsPage
      title="Client Management"
      subtitle="Client relationships and contracts"
      addLabel="Add New Client"
      plural="Clients"
      items={sampleClients}
      searchPlaceholder="Search company, contact, email or city..."
      searchFields={clientSearchFields}
      cardOf={cardOf}
      buttons={["View Profile", "New Booking"]}
      buttonLabel={(button, company) => `${button}: ${company}`}
    />
  );
}

function cardOf(client: Client) {
  return {
    title: client.companyName,
    subtitle: client.id,
    badge: (
      <Tag round {...STATUS_LOOKS[client.status]}>
        {client.status}
      </Tag>
    ),
    facts: {
      Contact: client.contactPerson,
      Email: <EmailLink email={client.email} />,
      Phone: <PhoneLink number={client.phone} />,
      City: client.city,
      Address: client.address,
      Joined: <DateText date={client.joinDate} />,
      Bookings: client.totalBookings,
      "Credit Limit": formatRupees(client.creditLimit),
      Outstanding: <Outstanding client={client} />,
    },
  };
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
