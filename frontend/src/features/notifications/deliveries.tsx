import { useSWRConfig } from "swr";
import { apiClient } from "@/shared/api/client";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { useCommand } from "@/shared/form/useCommand";
import { subscription } from "@/shared/records/entities.gen";
import { toast } from "@/shared/toast";
import { StatusBadge, type StatusTone } from "@/shared/ui";

export type Deliveries = Wire<"Deliveries">;
export type Delivery = Wire<"Delivery">;
export type DeliveryState = Wire<"DeliveryState">;

export function pathOf(id: string, what: "deliveries" | "requests" | "secret" | "confirmations"): string {
  return `${subscription.path}/${encodeURIComponent(id)}/${what}`;
}

export const STATES: Readonly<Record<DeliveryState["state"], { label: string; tone: StatusTone }>> = {
  active: { label: "Active", tone: "success" },
  waiting: { label: "Trying again", tone: "warning" },
  paused: { label: "Paused", tone: "warning" },
  given_up: { label: "Given up", tone: "danger" },
  not_configured: { label: "E-mail is not set up", tone: "danger" },
};

/** A subscription's status; of an active one, whether its deliveries succeed. */
export function DeliveryBadge({ id, status }: { id: string; status: string }) {
  // No deliveries, only the state.
  const { data } = useApiQuery<Deliveries>(
    status === "active" ? `${pathOf(id, "deliveries")}?before=0` : null,
  );
  return <StatusBadge {...STATES[status === "paused" ? "paused" : (data?.state.state ?? "active")]} />;
}

export type DeliveryRequest =
  | { kind: "test" | "resume" }
  | { kind: "again"; delivery: number }
  | { kind: "replay"; after: number }
  | { kind: "replay"; since: string };

/**
 * Return a function that asks the notifier for something, shows `done` in a toast, and reloads the deliveries; it
 * returns whether that succeeded.
 */
export function useDeliveryRequest(id: string, reload: () => Promise<unknown>) {
  const { run } = useCommand();
  const { mutate } = useSWRConfig();
  return (request: DeliveryRequest, done: string): Promise<boolean> =>
    run("Failed to send the request", async (keyed) => {
      // The same request can be made again: each has a moment of its own.
      await keyed([request, Date.now()], (idempotencyKey) =>
        apiClient.post(pathOf(id, "requests"), request, { idempotencyKey }),
      );
      toast.show({ title: done, intent: "success" });
      await Promise.all([reload(), mutate(`${pathOf(id, "deliveries")}?before=0`)]);
    });
}
