/** In characters: Excel's limit. */
const LONGEST_CODE = 255;

/** Digits of a number that a spreadsheet keeps. */
export const MOST_DIGITS = 15;

/** How a style shows stored numbers and texts. */
interface NumberFormat {
  number: (stored: string) => string;
  text: (text: string) => string;
}

/** Undefined for values as stored. */
export type CellFormat = NumberFormat | "date" | undefined;

/** Load the library of formats; returns a function from a style's format, by default a built-in one, to what it shows. */
export async function loadFormats(): Promise<(id: number, code?: string) => CellFormat> {
  const { format, getFormatFromId, getFormatInfo, isDateFormat, isValidFormat } = await import("numfmt");
  const options = { throws: false, nbsp: false, skipChar: "", fillChar: "" };
  return (id, code = getFormatFromId(id) ?? "") => {
    if (code.length > LONGEST_CODE || /^(?:General|@)?$/i.test(code) || !isValidFormat(code))
      return undefined;
    if (isDateFormat(code)) return "date";
    if (getFormatInfo(code).type === "fraction") return undefined;
    return {
      // Scientific formats and long numbers show all digits.
      number: (stored) => {
        const value = Number(stored);
        if (!(Math.abs(value) < 10 ** MOST_DIGITS)) return generalText(stored);
        const text = format(code, value, options);
        return /\dE[+-]\d/.test(text) ? generalText(stored) : text;
      },
      text: (text) => format(code, text, options),
    };
  };
}

/** Return all digits of a stored number, as far as spreadsheets keep them: `1.2E+3` → `1200`, `0.30000000000000004` → `0.3`. */
export function generalText(stored: string): string {
  if (/^-?(?:0|[1-9]\d*)$/.test(stored)) return stored;
  const value = Number(stored);
  if (!Number.isFinite(value)) return stored;
  const exact = Number(value.toPrecision(MOST_DIGITS));
  const [mantissa = "", exponent = ""] = exact.toExponential().split("e");
  const digits = mantissa.replace(".", "");
  const length = Number(exponent) + 1 + (exact < 0 ? 1 : 0);
  return Number(exponent) >= 15 && Number(exponent) <= 30 ? digits.padEnd(length, "0") : String(exact);
}

const DAY = 86_400_000;
/** Day 0; before March 1900 one day less, because spreadsheets count 29 February 1900. */
const FROM_1900 = Date.UTC(1899, 11, 30);
const FROM_1904 = Date.UTC(1904, 0, 1);

/** Format a serial date as `2026-11-25`, with a time unless midnight; a time alone as `08:30:00`. */
export function dateText(serial: number, isFrom1904: boolean): string {
  const shifted = !isFrom1904 && serial < 60 ? serial + 1 : serial;
  const moment = new Date((isFrom1904 ? FROM_1904 : FROM_1900) + Math.round(shifted * 86_400) * 1000);
  if (Number.isNaN(moment.getTime())) return String(serial);
  const [day = "", time = ""] = moment.toISOString().slice(0, 19).split("T");
  if (serial >= 0 && serial < 1 && !isFrom1904) return time;
  return moment.getTime() % DAY === 0 ? day : `${day}T${time}`;
}
