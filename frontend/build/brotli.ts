import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import type { Plugin } from "vite";

/** Write a compressed copy of each script and style sheet, which the gateway sends to browsers that accept it. */
export const brotli: Plugin = {
  name: "brotli",
  apply: "build",
  writeBundle({ dir = "" }, bundle) {
    for (const file of Object.keys(bundle).filter((name) => /\.(js|css)$/.test(name)))
      writeFileSync(join(dir, `${file}.br`), brotliCompressSync(readFileSync(join(dir, file))));
  },
};
