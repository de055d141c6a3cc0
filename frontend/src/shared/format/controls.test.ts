import { expect, test } from "vitest";
import { withoutInvisible } from "./controls";

test.each([
  ["zero-width spaces", "MH\u200b31\u2060AB\ufeff", "MH31AB"],
  ["overrides of direction", "abc\u202egpj.exe\u2066", "abcgpj.exe"],
  ["soft hyphens and tags", "a\u00adb\u{e0041}", "ab"],
  ["joiners between Latin letters", "Ra\u200dvi\u200c", "Ravi"],
])("%s are removed", (_, text, visible) => {
  expect(withoutInvisible(text)).toBe(visible);
});

test.each(["می\u200cخواهم", "क्\u200dष", "👩\u200d🔧", "שלום", "٠١٢"])("%s keeps its spelling", (text) => {
  expect(withoutInvisible(text)).toBe(text);
});
