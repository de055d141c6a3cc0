/** Built-in formats of numbers that are not dates, by id. */
const BUILT_IN: Readonly<Record<number, string>> = {
  1: "0",
  2: "0.00",
  3: "#,##0",
  4: "#,##0.00",
  9: "0%",
  10: "0.00%",
  37: "#,##0;(#,##0)",
  38: "#,##0;(#,##0)",
  39: "#,##0.00;(#,##0.00)",
  40: "#,##0.00;(#,##0.00)",
};

/** In characters: Excel's limit. */
const LONGEST_CODE = 255;

/** Literal text, spacing, conditions and currencies, `General`, exponents, then single symbols. */
const TOKEN = /"([^"]*)"?|\\(.)|[_*]\S?|\[([^\]]*)\]?|(General)|([eE][+-])|(.)/gis;

interface Section {
  /** Tests a number; undefined in a section without a condition. */
  holds?: (value: number) => boolean;
  parts: Part[];
}

interface Part {
  text: string;
  isLiteral: boolean;
}

/** A cell's number format, ready to format values. */
export type NumberFormat = readonly Section[];

/** Parse a number format; undefined for General, which shows values as stored. */
export function numberFormat(id: number, code = BUILT_IN[id]): NumberFormat | undefined {
  if (code === undefined || code.length > LONGEST_CODE || /^(?:General|@)?$/i.test(code)) return undefined;
  const sections: Section[] = [{ parts: [] }];
  for (const [, quoted, escaped, bracket, general, exponent, symbol] of code.matchAll(TOKEN)) {
    const section = sections.at(-1);
    const literal =
      quoted ?? escaped ?? (bracket?.startsWith("$") ? /^\$([^-]*)/.exec(bracket)?.[1] : undefined);
    if (symbol === ";") sections.push({ parts: [] });
    else if (literal !== undefined) section?.parts.push({ text: literal, isLiteral: true });
    else if (bracket !== undefined) Object.assign(section ?? {}, conditionOf(bracket));
    else if (general ?? exponent) section?.parts.push({ text: general ? "G" : "E", isLiteral: false });
    else if (symbol !== undefined)
      section?.parts.push({ text: symbol, isLiteral: !/[0#?.,%/@]/.test(symbol) });
  }
  return sections;
}

function conditionOf(bracket: string): Pick<Section, "holds"> {
  const [, sign = "", limit = ""] = /^([<>]=?|<>|=)(-?[\d.]+)$/.exec(bracket) ?? [];
  const bound = Number(limit);
  const tests: Readonly<Record<string, (value: number) => boolean>> = {
    "<": (value) => value < bound,
    "<=": (value) => value <= bound,
    ">": (value) => value > bound,
    ">=": (value) => value >= bound,
    "=": (value) => value === bound,
    "<>": (value) => value !== bound,
  };
  const holds = tests[sign];
  return holds ? { holds } : {};
}

/** Return all digits of a stored number, as far as spreadsheets keep them: `1.2E+3` → `1200`, `0.30000000000000004` → `0.3`. */
export function generalText(stored: string): string {
  if (/^-?(?:0|[1-9]\d*)$/.test(stored)) return stored;
  const value = Number(stored);
  if (!Number.isFinite(value)) return stored;
  const exact = Number(value.toPrecision(15));
  const [mantissa = "", exponent = ""] = exact.toExponential().split("e");
  const digits = mantissa.replace(".", "");
  const length = Number(exponent) + 1 + (exact < 0 ? 1 : 0);
  return Number(exponent) >= 15 && Number(exponent) <= 30 ? digits.padEnd(length, "0") : String(exact);
}

/** Return a text cell as its format shows it, e.g. with `"EMP-"@`. */
export function formattedText(text: string, format: NumberFormat | undefined): string {
  const parts = format?.at(-1)?.parts ?? [];
  if (!parts.some((part) => part.text === "@" && !part.isLiteral)) return text;
  return parts.map((part) => (part.isLiteral ? part.text : part.text === "@" ? text : "")).join("");
}

/** Return a number as its format shows it; scientific formats and fractions show all digits. */
export function formattedNumber(stored: string, format: NumberFormat | undefined): string {
  const general = generalText(stored);
  const value = Number(stored);
  if (format === undefined || !Number.isFinite(value)) return general;
  const { section, sign } = sectionOf(value, format);
  if (section === undefined) return general;
  const has = (text: string) => section.parts.some((part) => part.text === text && !part.isLiteral);
  if (has("E") || has("/") || has("@")) return general;
  const unsigned = general.replace(/^-/, "");
  if (has("G")) {
    return (
      sign +
      section.parts.map((part) => (part.isLiteral ? part.text : part.text === "G" ? unsigned : "")).join("")
    );
  }
  const digits = filled(unsigned, section.parts);
  return (/[1-9]/.test(digits) ? sign : "") + digits;
}

/** Choose the section for a number, and its sign unless the section states it. */
function sectionOf(value: number, format: NumberFormat): { section: Section | undefined; sign: string } {
  const sign = value < 0 ? "-" : "";
  const numeric = format.filter(({ parts }, index) => index < 3 && (format.length === 1 || !isText(parts)));
  if (numeric.some(({ holds }) => holds)) {
    return { section: numeric.find(({ holds }) => holds?.(value) ?? true), sign };
  }
  const [first, negative, zero] = numeric;
  if (value < 0 && negative) return { section: negative, sign: "" };
  return { section: value === 0 && zero ? zero : first, sign };
}

const isText = (parts: readonly Part[]) => parts.some(({ text, isLiteral }) => text === "@" && !isLiteral);

const isPlace = ({ text, isLiteral }: Part) => !isLiteral && /[0#?]/.test(text);

/** Fill a section's places with digits. */
function filled(general: string, parts: readonly Part[]): string {
  const point = parts.findIndex(({ text, isLiteral }) => text === "." && !isLiteral);
  const whole = point < 0 ? parts : parts.slice(0, point);
  const fraction = point < 0 ? [] : parts.slice(point + 1);
  const last = parts.findLastIndex(isPlace);
  const isComma = ({ text, isLiteral }: Part) => text === "," && !isLiteral;
  const scale =
    2 * parts.filter(({ text, isLiteral }) => text === "%" && !isLiteral).length -
    3 * (last < 0 ? 0 : parts.slice(last).filter(isComma).length);
  const [integer, decimals] = rounded(general, scale, fraction.filter(isPlace).length);
  const lastWhole = whole.findLastIndex(isPlace);
  const firstWhole = whole.findIndex(isPlace);
  const isGrouped = whole.slice(Math.max(0, firstWhole), Math.max(0, lastWhole)).some(isComma);

  let left = integer === "0" ? "" : integer;
  let shown = 0;
  let text = "";
  const put = (digit: string) => {
    text = digit + (isGrouped && shown > 0 && shown % 3 === 0 ? "," : "") + text;
    shown += 1;
  };
  for (let index = whole.length - 1; index >= 0; index -= 1) {
    const part = whole[index];
    if (part === undefined) continue;
    if (!isPlace(part)) {
      if (!isComma(part)) text = part.text + text;
      continue;
    }
    const digit = left.at(-1) ?? (part.text === "0" ? "0" : "");
    left = left.slice(0, -1);
    if (digit !== "") put(digit);
    // The first place shows all remaining digits.
    for (; index === firstWhole && left !== ""; left = left.slice(0, -1)) put(left.at(-1) ?? "");
  }
  if (point < 0) return text;
  const significant = decimals.replace(/0+$/, "").length;
  let place = 0;
  let end = "";
  for (const part of fraction) {
    if (!isPlace(part)) end += isComma(part) ? "" : part.text;
    else {
      if (part.text === "0" || place < significant) end += decimals[place] ?? "0";
      place += 1;
    }
  }
  return `${text}.${end}`;
}

/** Scale an unsigned number by a power of ten, and round it half up; by its digits, because binary fractions err. */
function rounded(general: string, scale: number, places: number): readonly [string, string] {
  const [mantissa = "", exponent = "0"] = general.toLowerCase().split("e");
  const [before = "", after = ""] = mantissa.split(".");
  const shift = before.length + Number(exponent) + scale;
  const padded = "0".repeat(Math.max(0, -shift)) + before + after;
  const point = Math.max(0, shift);
  const digits = padded.padEnd(point + places + 1, "0");
  const kept =
    BigInt(digits.slice(0, point + places) || "0") + ((digits[point + places] ?? "0") >= "5" ? 1n : 0n);
  const text = String(kept).padStart(places + 1, "0");
  return [text.slice(0, text.length - places), text.slice(text.length - places)];
}
