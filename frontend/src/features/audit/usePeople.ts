import { useEffect, useState } from "react";
import type { AuditedChange } from "@/shared/history";

/** Names of people by their subjects. */
export type People = ReadonlyMap<string, string>;

/** Everybody whose changes have been shown since the screen was opened. */
export function usePeople(changes: readonly AuditedChange[] | undefined): People {
  const [people, setPeople] = useState<People>(new Map());
  useEffect(() => {
    const seen = (changes ?? []).flatMap(({ actor }) =>
      actor?.name ? [[actor.sub, actor.name] as const] : [],
    );
    setPeople((known) =>
      seen.some(([sub]) => !known.has(sub)) ? new Map([...seen.reverse(), ...known]) : known,
    );
  }, [changes]);
  return people;
}

/** The subject of the person that a text names, by either. */
export function subjectOf(people: People, text: string): string {
  const wanted = text.trim().toLowerCase();
  const found = [...people].find(([, name]) => name.toLowerCase() === wanted);
  return found && !people.has(text) ? found[0] : text;
}
