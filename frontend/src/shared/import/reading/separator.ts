import Papa from "papaparse";

/** What stands between cells, the likelier first. */
const SEPARATORS = [",", ";", "\t", "|"] as const;

export type Separator = string;

export const SEPARATOR_NAMES: Readonly<Record<string, string>> = {
  ",": "commas",
  ";": "semicolons",
  "\t": "tabs",
  "|": "bars",
};

/** The line with which Excel says it, before the header. */
const SAID = /^sep=(.)\n/i;

/** A first line that says what the separator is, if there is one. */
export function separatorLine(text: string): { line: string; separator: Separator } | undefined {
  const [line, separator] = SAID.exec(text) ?? [];
  return line === undefined || separator === undefined ? undefined : { line, separator };
}

/**
 * Recognises what stands between cells by the header: what makes most columns of it, with every quotation mark where
 * it may be.
 * @param text the beginning of the file, with lines that end in `\n`.
 */
export function recogniseSeparator(text: string): Separator {
  const said = separatorLine(text);
  if (said) return said.separator;
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
