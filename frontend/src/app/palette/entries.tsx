import type { ReactElement } from "react";
import type { ScreenAction } from "@/shared/actions";
import type { Findable } from "./ranking";

/** What the palette lists: it leads somewhere, or does something at once. */
export interface Entry extends Findable {
  /** Tells it from the others; two that lead to the same place are the same. */
  key: string;
  icon: ReactElement;
  /** Tells more of it, beside its title. */
  detail?: string | undefined;
  to?: string | undefined;
  act?: (() => void) | undefined;
}

export function actionEntry({ text, icon, to, onSelect }: ScreenAction): Entry {
  return { key: to ?? `do ${text}`, title: text, icon, to, act: onSelect };
}

/** The groups without what an earlier one has already. */
export function withoutRepeats<Group extends { items: readonly Entry[] }>(
  groups: readonly Group[],
): readonly Group[] {
  const seen = new Set<string>();
  return groups
    .map((group) => ({ ...group, items: group.items.filter(({ key }) => !seen.has(key) && seen.add(key)) }))
    .filter(({ items }) => items.length > 0);
}
