import type { Plugin as CssPlugin } from "postcss";

/** Components of Blueprint that no screen uses, and the classes of its icon font, for which the product has SVGs. */
const UNUSED =
  /\.bp6-(icon-[a-z]|(breadcrumb|card-list|compound-tag|control-card|editable-text|entity-title|file-|hotkey|html-table|multistep-dialog|dialog-step|navbar|panel-stack|section|segmented-control|skeleton|slider|toast|tree)[a-z0-9-]*)/;
const NEGATIONS = /:not\([^()]*\)/g;
const FONT = /blueprint-icons/;

/** Leave out half of Blueprint's style sheet, which comes in one file. */
export const withoutUnusedBlueprint: CssPlugin = {
  postcssPlugin: "without-unused-blueprint",
  OnceExit(root) {
    root.walkRules((rule) => {
      const used = rule.selectors.filter((selector) => !UNUSED.test(selector.replace(NEGATIONS, "")));
      if (used.length === 0) rule.remove();
      else if (used.length < rule.selectors.length) rule.selectors = used;
    });
    root.walkAtRules("font-face", (rule) => {
      if (FONT.test(rule.toString())) rule.remove();
    });
  },
};
