export type ClientStatus = "Active" | "Inactive" | "Pending" | "Suspended";

/** A client (spec, section 3). Amounts are in rupees, days `YYYY-MM-DD`. */
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

/** The badge of each status (spec, section 4). */
export const STATUS_LOOKS = {
  Active: "default",
  Inactive: "secondary",
  Pending: "outline",
  Suspended: "destructive",
} as const satisfies Record<ClientStatus, string>;

export function clientSearchFields(client: Client): readonly string[] {
  return [client.companyName, client.contactPerson, client.email, client.city];
}

/** Whether a client owes more than 80 % of the credit limit. */
export function isNearCreditLimit({
  creditLimit,
  outstandingAmount,
}: Pick<Client, "creditLimit" | "outstandingAmount">): boolean {
  // In integers, because 0.8 is not exact in floating point.
  return outstandingAmount * 100 > creditLimit * 80;
}
