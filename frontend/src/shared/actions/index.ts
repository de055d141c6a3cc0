export { dropLookedAt, forgetLookedAt, type LookedAt, lookedAt, useLookingAt } from "./lookedAt";
export { offeredActions, type ScreenAction, useScreenActions } from "./screenActions";
