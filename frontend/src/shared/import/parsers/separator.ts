import Papa from "papaparse";

/** The possible separators, the most likely first. */
const SEPARATORS = [",", ";", "\t", "|"] as const;

export type Separator = string;

export const SEPARATOR_NAMES: Readonly<Record<string, string>> = {
  ",": "commas",
  ";": "semicolons",
  "\t": "tabs",
  "|": "bars",
};

/** Excel's line before the header that names the separator. */
const STATED = /^sep=(.)\n/i;

/** Return the first line if it names the separator. */
export function separatorLine(text: string): { line: string; separator: Separator } | undefined {
  const [line, separator] = STATED.exec(text) ?? [];
  return line === undefined || separator === undefined ? undefined : { line, separator };
}

/**
 * Detect the separator: the one that splits the header into the most columns with correct quotation marks.
 * @param text the beginning of the file, with line ends as `\n`.
 */
export function recogniseSeparator(text: string): Separator {
  const stated = separatorLine(text);
  if (stated) return stated.separator;
  const header = text.trimStart();
  const tried = SEPARATORS.map((separator) => {
    const { data, errors } = Papa.parse<string[]>(header, {
      delimiter: separator,
      newline: "\n",
      preview: 1,
    });
    return { separator, columns: errors.length > 0 ? 0 : (data[0]?.length ?? 0) };
  });
  const best = tried.reduce((one, other) => (other.columns > one.columns ? other : one));
  return best.separator;
}
