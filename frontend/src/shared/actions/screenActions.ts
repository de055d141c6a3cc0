import { type ReactElement, useEffect, useRef } from "react";

/** An action of the current screen: a link or a callback. */
export type ScreenAction = {
  text: string;
  icon: ReactElement;
} & ({ to: string; onSelect?: never } | { to?: never; onSelect: () => void });

/** Whether an action belongs to the frame around all screens, or to the current screen. */
type Scope = "frame" | "screen";

interface Offer {
  scope: Scope;
  current: readonly ScreenAction[];
}

const offers = new Set<Offer>();

/**
 * Registers actions of a component with the palette while it is mounted. Callers omit actions that are not permitted or not
 * available, as on the screen.
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

/** The registered actions, in order of registration. */
export function offeredActions(scope: Scope): readonly ScreenAction[] {
  return [...offers].filter((offer) => offer.scope === scope).flatMap(({ current }) => current);
}
