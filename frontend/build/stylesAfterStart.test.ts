import { expect, test } from "vitest";
import { moveStylesBelow } from "./stylesAfterStart.ts";

test("style sheets come after what the page says by itself, in their order; scripts stay", () => {
  const head = `<script src="/a.js"></script>
    <link rel="stylesheet" href="/a.css">
    <link rel="stylesheet" href="/b.css">
    <link rel="icon" href="/i.svg">`;
  const page = moveStylesBelow(`<head>${head}</head><body><p>Loading...</p></body>`);
  expect(page.match(/<(script|link|p|\/body)[^>]*>/g)).toEqual([
    '<script src="/a.js">',
    '<link rel="icon" href="/i.svg">',
    "<p>",
    '<link rel="stylesheet" href="/a.css">',
    '<link rel="stylesheet" href="/b.css">',
    "</body>",
  ]);
});
