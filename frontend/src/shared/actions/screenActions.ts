import { type ReactElement, useEffect, useRef } from "react";

/** What can be done on the screen that is shown: it leads somewhere, or does something at once. */
export type ScreenAction = {
  text: string;
  icon: ReactElement;
} & ({ to: string; onSelect?: never } | { to?: never; onSelect: () => void });

/** Of the frame, which is around every screen, or of the screen itself. */
type Scope = "frame" | "screen";

interface Offer {
  scope: Scope;
  current: readonly ScreenAction[];
}

const offers = new Set<Offer>();

/**
 * Offers what a part of the screen can do to the palette, for as long as it is there and says so: what is not permitted
 * or makes no sense now is left out, as it is on the screen.
 */
export function useScreenActions(actions: readonly ScreenAction[], scope: Scope = "screen"): void {
  const offer = useRef<Offer>({ scope, current: actions });
  useEffect(() => {
    offer.current.current = actions;
  });
  const isAny = actions.length > 0;
  useEffect(() => {
    const { current } = offer;
    if (isAny) offers.add(current);
    return () => {
      offers.delete(current);
    };
  }, [isAny]);
}

/** What is offered at this moment; what came last comes last. */
export function offeredActions(scope: Scope): readonly ScreenAction[] {
  return [...offers].filter((offer) => offer.scope === scope).flatMap(({ current }) => current);
}
