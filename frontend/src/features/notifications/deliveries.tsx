import { useSWRConfig } from "swr";
import { apiClient } from "@/shared/api/client";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { failureText } from "@/shared/auth/refusal";
import { useCommandKey } from "@/shared/form/useCommandKey";
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
  const keyed = useCommandKey();
  const { mutate } = useSWRConfig();
  return async (request: DeliveryRequest, done: string): Promise<boolean> => {
    try {
      const post = (idempotencyKey: string) =>
        apiClient.post(pathOf(id, "requests"), request, { idempotencyKey });
      // The same request can be made again: each has a moment of its own.
      await keyed([request, Date.now()], post);
      toast.show({ title: done, intent: "success" });
      await Promise.all([reload(), mutate(`${pathOf(id, "deliveries")}?before=0`)]);
      return true;
    } catch (error) {
      toast.show({ title: "Failed to send the request", message: failureText(error), intent: "danger" });
      return false;
    }
  };
}
