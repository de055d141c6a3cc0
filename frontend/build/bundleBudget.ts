import { gzipSync } from "node:zlib";
import type { Plugin, ResolvedConfig, Rolldown } from "vite";

/** Limits of JavaScript compressed with gzip, in kB of 1000 bytes. */
interface Budget {
  /** The entry and all its static imports. */
  firstLoad: number;
  /** What opening any other screen adds. */
  furtherScreen: number;
}

/** Print the sizes that browsers load, and fail the build if one is over budget. */
export function bundleBudget(budget: Budget): Plugin {
  let config: ResolvedConfig;
  return {
    name: "bundle-budget",
    apply: "build",
    configResolved: (resolved) => {
      config = resolved;
    },
    generateBundle: {
      // After the names of preloaded files were written into the chunks.
      order: "post",
      handler(_, bundle) {
        const { first, further } = measureLoads(chunksOf(bundle));
        const rows: Row[] = [
          { ...first, most: budget.firstLoad },
          ...further.map((load) => ({ ...load, most: budget.furtherScreen })),
        ];
        config.logger.info(["", "JavaScript, gzip, of at most", ...rows.map(tableRow), ""].join("\n"));
        const excessive = rows.filter((row) => row.bytes > row.most * 1000);
        if (excessive.length > 0) this.error(`Bundle budget exceeded: ${excessive.map(excess).join("; ")}`);
      },
    },
  };
}

interface Row extends Load {
  most: number;
}

function chunksOf(bundle: Rolldown.OutputBundle): Chunk[] {
  return Object.values(bundle)
    .filter((output) => output.type === "chunk")
    .map(({ fileName, name, imports, isEntry, isDynamicEntry, code }) => ({
      fileName,
      name,
      imports,
      isEntry,
      isDynamicEntry,
      bytes: gzipSync(code).length,
    }));
}

function tableRow({ name, bytes, most }: Row): string {
  return `  ${name.padEnd(32)} ${kilobytes(bytes).padStart(9)} ${`${most} kB`.padStart(7)}`;
}

function excess({ name, bytes, most }: Row): string {
  return `${name} ${kilobytes(bytes)}, at most ${most} kB`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

/** One file of the build. */
export interface Chunk {
  fileName: string;
  name: string;
  /** The files that it imports statically. */
  imports: readonly string[];
  isEntry: boolean;
  isDynamicEntry: boolean;
  /** Compressed. */
  bytes: number;
}

interface Load {
  name: string;
  bytes: number;
}

/** The size of the first load, and of what each dynamic import adds to it, largest first. */
export function measureLoads(chunks: readonly Chunk[]): { first: Load; further: Load[] } {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const first = closure(
    chunks.filter((chunk) => chunk.isEntry),
    byFile,
  );
  const further = chunks
    .filter((chunk) => chunk.isDynamicEntry && !first.has(chunk))
    // Chunks that several screens share count for each, because any of them may be opened first.
    .map((chunk) => ({ name: chunk.name, bytes: sum(closure([chunk], byFile), first) }));
  return {
    first: { name: "first load", bytes: sum(first) },
    further: further.toSorted((one, other) => other.bytes - one.bytes),
  };
}

function closure(roots: readonly Chunk[], byFile: ReadonlyMap<string, Chunk>): Set<Chunk> {
  const reached = new Set(roots);
  // Iterating a set visits elements added during the iteration.
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
