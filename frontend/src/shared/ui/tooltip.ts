/** How long the pointer rests before a tooltip opens, in milliseconds. */
export const TOOLTIP_DELAY = 700;
