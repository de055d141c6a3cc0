import { useMemo, useState } from "react";
import { offeredActions } from "@/shared/actions";
import { useMe } from "@/shared/auth/permissions";
import type { RecordDefinition } from "@/shared/records";
import { actionEntry, type Entry, withoutRepeats } from "./entries";
import { type Group, RANK, ranked, rankOf } from "./ranking";
import { screensOpenTo } from "./screens";
import { useFoundRecords } from "./useFoundRecords";
import { useLookedAtEntries } from "./useLookedAtEntries";

interface PaletteGroups {
  groups: readonly Group<Entry>[];
  /** Records are still being looked for. */
  isSearching: boolean;
  /** What is there already is so good that nothing better will come. */
  isSure: boolean;
  /** Why records could not be searched. */
  failure: unknown;
}

/** What the palette lists for what is typed: for nothing, what can be done here and what was looked at last. */
export function usePaletteGroups(kinds: readonly RecordDefinition[], typed: string): PaletteGroups {
  const { permissions } = useMe();
  const readable = useMemo(() => (permissions.includes("fleet:read") ? kinds : []), [kinds, permissions]);
  // As they are when it opens: what happens below it meanwhile moves nothing.
  const [ofScreen] = useState(() => offeredActions("screen").map(actionEntry));
  const [ofFrame] = useState(() => offeredActions("frame").map(actionEntry));
  const lookedAt = useState(useLookedAtEntries(readable))[0];
  const { groups: records, isSearching, failure } = useFoundRecords(readable, typed);

  return useMemo(() => {
    const named = new Map(records.flatMap(({ items }) => items.map((item) => [item.key, item])));
    const all = [
      { heading: "On this screen", items: ofScreen },
      { heading: "Looked at last", items: lookedAt.map((item) => named.get(item.key) ?? item) },
      ...records,
      { heading: "Go to", items: screensOpenTo(permissions, kinds) },
      { heading: "Everywhere", items: ofFrame },
    ];
    const groups = withoutRepeats(ranked(all, typed));
    const best = groups[0]?.items[0];
    return {
      groups,
      isSearching,
      failure,
      isSure: !isSearching || (best !== undefined && rankOf(best, typed) <= RANK.beginning),
    };
  }, [ofScreen, lookedAt, records, permissions, kinds, ofFrame, typed, isSearching, failure]);
}
