export type ClientStatus = "Active" | "Inactive" | "Pending" | "Suspended";

/** A client (product.md: records). Amounts are rupees, days are `YYYY-MM-DD`. */
export interface Client {
  id: string;
  companyName: string;
  contactPerson: string;
  email: string;
  phone: string;
  address: string;
  city: string;
  status: ClientStatus;
  joinDate: string;
  totalBookings: number;
  creditLimit: number;
  outstandingAmount: number;
}

/** How a status's badge looks (product.md: states). */
export const STATUS_LOOKS = {
  Active: "default",
  Inactive: "secondary",
  Pending: "outline",
  Suspended: "destructive",
} as const satisfies Record<ClientStatus, string>;

/** What the search looks through: company, contact person, email, city. */
export function clientSearchFields(client: Client): readonly string[] {
  return [client.companyName, client.contactPerson, client.email, client.city];
}

/** Whether a client owes more than 80 % of the credit limit: exactly 80 % is not more. */
export function isNearCreditLimit({
  creditLimit,
  outstandingAmount,
}: Pick<Client, "creditLimit" | "outstandingAmount">): boolean {
  // In whole numbers: 0.8 is none that a computer knows exactly.
  return outstandingAmount * 100 > creditLimit * 80;
}
