import type { StatusTone } from "@/shared/ui";
import type { TripDetail } from "./trip";

export interface Instalment {
  name: "Loading Settlement" | "Unloading Settlement";
  /** Of the transport rate. */
  percentage: number;
  /** In rupees. */
  amount: number;
  status: "Completed" | "Pending";
  tone: StatusTone;
}

/**
 * The two parts in which a trip is paid. The specification fixes their statuses: loading is Completed and
 * unloading Pending, whatever the trip's done flags say (section 4).
 */
export function instalments({
  settlement_details,
  transport_rate,
}: TripDetail): readonly [Instalment, Instalment] {
  const { settlement_loading_percentage, settlement_unloading_percentage } = settlement_details;
  const amount = (percentage: number) => (transport_rate * percentage) / 100;
  return [
    {
      name: "Loading Settlement",
      percentage: settlement_loading_percentage,
      amount: amount(settlement_loading_percentage),
      status: "Completed",
      tone: "success",
    },
    {
      name: "Unloading Settlement",
      percentage: settlement_unloading_percentage,
      amount: amount(settlement_unloading_percentage),
      status: "Pending",
      tone: "warning",
    },
  ];
}
