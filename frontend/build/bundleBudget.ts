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
        const chunks = Object.values(bundle).filter((output) => output.type === "chunk");
        const sizes = new Map(chunks.map((chunk) => [chunk, gzipSync(chunk.code).length / 1000]));
        const sizeOf = (loaded: Iterable<Rolldown.OutputChunk>) =>
          [...loaded].reduce((total, chunk) => total + (sizes.get(chunk) ?? 0), 0);
        const entries = chunks.filter(({ isEntry }) => isEntry);
        const first = withImports(entries, bundle);
        const rows = chunks
          .filter((chunk) => chunk.isDynamicEntry && !first.has(chunk))
          // Chunks that several screens share count for each, because any of them may be opened first.
          .map((chunk) => ({
            name: chunk.name,
            size: sizeOf([...withImports([chunk], bundle)].filter((one) => !first.has(one))),
            most: budget.furtherScreen,
          }))
          .sort((one, other) => other.size - one.size);
        rows.unshift({ name: "first load", size: sizeOf(first), most: budget.firstLoad });
        config.logger.info(["", "JavaScript, gzip", ...rows.map(lineOf), ""].join("\n"));
        const excessive = rows.filter(({ size, most }) => size > most);
        if (excessive.length > 0) this.error(`Bundle budget exceeded: ${excessive.map(lineOf).join("; ")}`);
      },
    },
  };
}

function lineOf({ name, size, most }: { name: string; size: number; most: number }): string {
  return `${name.padEnd(32)} ${size.toFixed(1).padStart(6)} kB, at most ${most} kB`;
}

/** Chunks with all that they import statically, directly or not. */
function withImports(
  roots: readonly Rolldown.OutputChunk[],
  bundle: Rolldown.OutputBundle,
): Set<Rolldown.OutputChunk> {
  const reached = new Set(roots);
  // Iterating a set visits elements added during the iteration.
  for (const chunk of reached) {
    for (const file of chunk.imports) {
      const imported = bundle[file];
      if (imported?.type === "chunk") reached.add(imported);
    }
  }
  return reached;
}
