import type { Wire } from "@/shared/api/wireTypes.gen";

/* What the API tells of the system. */

export type System = Wire<"System">;
export type Service = Wire<"Service">;
export type Projection = Wire<"Projection">;
export type SetAsideRecord = Wire<"SetAside">;
export type Samples = Wire<"Samples">;
export type Alert = Wire<"Alert">;
export type Action = Wire<"Action">;

/** It is not at its end. */
export function isUnderWay({ state }: Action): boolean {
  return state === "asked" || state === "running";
}
