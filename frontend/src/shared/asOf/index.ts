export { justBefore, microseconds, readAsOf, withAsOf } from "./asOf";
export { BackToNow } from "./BackToNow";
export { NoPastNotice } from "./NoPastNotice";
export { ReadOnlyPast } from "./ReadOnlyPast";
export { type AsOf, hasPast, TO_THE_PRESENT, useAsOf, useTimeTravel } from "./useAsOf";
