/** What a browser has to load of the built JavaScript: the figures behind the bundle budget. */

/** One file of the build. */
export interface Chunk {
  fileName: string;
  name: string;
  /** The files without which it does not run. */
  imports: readonly string[];
  isEntry: boolean;
  isDynamicEntry: boolean;
  /** Its size as it travels. */
  bytes: number;
}

/** What is loaded at one moment. */
export interface Load {
  name: string;
  bytes: number;
}

/** What the entry loads, and what each dynamic import loads on top of that, largest first. */
export function measureLoads(chunks: readonly Chunk[]): { first: Load; further: Load[] } {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const first = closure(
    chunks.filter((chunk) => chunk.isEntry),
    byFile,
  );
  const further = chunks
    .filter((chunk) => chunk.isDynamicEntry && !first.has(chunk))
    // What several screens share counts for each: any of them may be the first to be opened.
    .map((chunk) => ({ name: chunk.name, bytes: sum(closure([chunk], byFile), first) }));
  return {
    first: { name: "first load", bytes: sum(first) },
    further: further.toSorted((one, other) => other.bytes - one.bytes),
  };
}

function closure(roots: readonly Chunk[], byFile: ReadonlyMap<string, Chunk>): Set<Chunk> {
  const reached = new Set(roots);
  // A set goes on to what is added to it meanwhile.
  for (const chunk of reached) {
    for (const file of chunk.imports) {
      const imported = byFile.get(file);
      if (imported) reached.add(imported);
    }
  }
  return reached;
}

function sum(chunks: ReadonlySet<Chunk>, without?: ReadonlySet<Chunk>): number {
  return [...chunks].reduce((total, chunk) => total + (without?.has(chunk) ? 0 : chunk.bytes), 0);
}
