import type { FieldSpec, FormValues } from "@/shared/form";

interface Versions {
  /** What both sides started from. */
  base: FormValues;
  mine: FormValues;
  theirs: FormValues;
}

export interface Merge {
  /** Each side's changes; where both changed a field, theirs until somebody has decided. */
  merged: FormValues;
  /** Fields that only they have changed. */
  taken: readonly string[];
  /** Fields that both have changed, and not to the same. */
  disputed: readonly string[];
}

/** Joins two sets of changes to the same record, field by field. Only what the form asks for can be mine. */
export function mergeValues(asked: readonly FieldSpec[], { base, mine, theirs }: Versions): Merge {
  const merged: FormValues = { ...theirs };
  const taken: string[] = [];
  const disputed: string[] = [];
  for (const spec of asked) {
    const { name } = spec;
    const isSame = (a: FormValues, b: FormValues) => isSameValue(spec, a[name], b[name]);
    if (isSame(mine, base)) {
      if (!isSame(theirs, base)) taken.push(name);
    } else if (isSame(theirs, base)) merged[name] = mine[name] ?? "";
    else if (!isSame(mine, theirs)) disputed.push(name);
  }
  return { merged, taken, disputed };
}

/** Whether two values of a field say the same. */
export function isSameValue({ kind }: FieldSpec, a: string | undefined, b: string | undefined): boolean {
  return normalized(a, kind) === normalized(b, kind);
}

/** What decides whether a value has changed: neither space around it nor the layout of JSON. */
function normalized(value: string | undefined, kind: FieldSpec["kind"]): string {
  const text = (value ?? "").trim();
  if (kind !== "json") return text;
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text; // not JSON (yet)
  }
}
