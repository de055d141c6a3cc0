import type { Wire } from "@/shared/api/wireTypes.gen";

/* Types of the System API. */

export type System = Wire<"System">;
export type Service = Wire<"Service">;
export type Projection = Wire<"Projection">;
export type SetAsideRecord = Wire<"SetAside">;
export type Samples = Wire<"Samples">;
export type Alert = Wire<"Alert">;
export type Action = Wire<"Action">;

/** Returns whether an action is requested or running. */
export function isUnderWay({ state }: Action): boolean {
  return state === "asked" || state === "running";
}
