export { justBefore, microseconds, readAsOf, withAsOf } from "./asOf";
export { BackToNow, NoPastNotice, ReadOnlyPast } from "./notices";
export { hasPast, TO_THE_PRESENT, useAsOf, useTimeTravel } from "./useAsOf";
