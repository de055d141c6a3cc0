import { gzipSync } from "node:zlib";
import type { Plugin, ResolvedConfig, Rolldown } from "vite";
import { type Chunk, type Load, measureLoads } from "./bundleFigures.ts";

/** The most JavaScript, compressed with gzip, in kB of 1000 bytes. */
export interface Budget {
  /** The entry and everything that it imports. */
  firstLoad: number;
  /** What opening any further screen adds to that. */
  furtherScreen: number;
}

/** Prints what the build makes browsers load, and fails the build where that is beyond the budget. */
export function bundleBudget(budget: Budget): Plugin {
  let config: ResolvedConfig;
  return {
    name: "bundle-budget",
    apply: "build",
    configResolved: (resolved) => {
      config = resolved;
    },
    generateBundle: {
      // after the names of preloaded files have been written into the chunks
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
