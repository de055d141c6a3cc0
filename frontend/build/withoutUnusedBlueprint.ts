import type { Plugin as CssPlugin } from "postcss";

/** Components of Blueprint that no screen uses, and the classes of its icon font, for which the product has SVGs. */
const UNUSED =
  /\.bp6-(icon-[a-z]|select(?!ed)|key(?!\w)|(alert|blockquote|breadcrumb|card|code|collapse|compound-tag|control-card|control-group|divider|drawer-body|editable-text|elevation|entity-title|file-|form-|hotkey|html-table|input-ghost|key-combo|link|list|multistep-dialog|dialog-step|navbar|non-ideal|numeric|overflow-list|panel-stack|progress|resizable|rtl|running-text|section|segmented-control|skeleton|slider|tab-tag|tag-|toast|tree)[a-z0-9-]*)/;
/** Of these intents, the product has only callouts. */
const UNUSED_INTENT = /^(?!.*\.bp6-callout).*\.bp6-intent-(success|warning)/;
const NEGATIONS = /:not\([^()]*\)/g;
const FONT = /blueprint-icons/;

/** Leave out half of Blueprint's style sheet, which comes in one file. */
export const withoutUnusedBlueprint: CssPlugin = {
  postcssPlugin: "without-unused-blueprint",
  OnceExit(root) {
    root.walkRules((rule) => {
      const isUsed = (selector: string) => !UNUSED.test(selector) && !UNUSED_INTENT.test(selector);
      const used = rule.selectors.filter((selector) => isUsed(selector.replace(NEGATIONS, "")));
      if (used.length === 0) rule.remove();
      else if (used.length < rule.selectors.length) rule.selectors = used;
    });
    // Each removal may leave others unused.
    for (let before = ""; before !== root.toString(); ) {
      before = root.toString();
      root.walkDecls(/^--bp-/, (variable) => {
        if (!before.includes(`var(${variable.prop}`)) variable.remove();
      });
    }
    root.walkAtRules("font-face", (rule) => {
      if (FONT.test(rule.toString())) rule.remove();
    });
  },
};
