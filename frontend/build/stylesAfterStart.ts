import type { Plugin } from "vite";

const STYLE_SHEETS = /\s*<link rel="stylesheet"[^>]*>/g;

/**
 * Loads the style sheets below what `index.html` says by itself, which needs none of them: browsers paint that while
 * they still load, and run no script before they are there.
 */
export function stylesAfterStart(): Plugin {
  return {
    name: "styles-after-start",
    apply: "build",
    transformIndexHtml: { order: "post", handler: moveStylesBelow },
  };
}

/** A page whose style sheets are the last of its body. */
export function moveStylesBelow(html: string): string {
  const links = html.match(STYLE_SHEETS) ?? [];
  return html.replaceAll(STYLE_SHEETS, "").replace("</body>", `${links.join("")}\n  </body>`);
}
