export { AS_OF, justBefore, microseconds, readAsOf, withAsOf } from "./asOf";
export { BackToNow } from "./BackToNow";
export { NoPastNotice } from "./NoPastNotice";
export { ReadOnlyPast } from "./ReadOnlyPast";
export { type AsOf, BACK_TO_NOW, hasPast, useAsOf, useTimeTravel } from "./useAsOf";
