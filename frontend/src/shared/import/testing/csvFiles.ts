import Papa from "papaparse";

/** A CSV dialect. */
export interface Dialect {
  separator: string;
  encoding: "utf-8" | "utf-8-bom" | "utf-16le" | "utf-16be" | "windows-1252";
  lineEnd: string;
  /** Quote every cell. */
  quotesAll: boolean;
  /** End the last line. */
  endsLine: boolean;
}

export const EXCEL: Dialect = {
  separator: ";",
  encoding: "windows-1252",
  lineEnd: "\r\n",
  quotesAll: false,
  endsLine: true,
};

export const LIBRE_OFFICE: Dialect = {
  separator: ",",
  encoding: "utf-8",
  lineEnd: "\n",
  quotesAll: true,
  endsLine: true,
};

/** Create a CSV file. */
export function csvFile(rows: readonly (readonly string[])[], dialect: Dialect, name = "list.csv"): File {
  const { separator, lineEnd, quotesAll, endsLine } = dialect;
  const written = { delimiter: separator, newline: lineEnd, quotes: quotesAll };
  const lines = Papa.unparse(rows as string[][], written);
  return new File([encoded(endsLine ? lines + lineEnd : lines, dialect.encoding)], name);
}

/** Encode text. */
export function encoded(text: string, encoding: Dialect["encoding"]): Uint8Array<ArrayBuffer> {
  switch (encoding) {
    case "utf-8":
      return new TextEncoder().encode(text);
    case "utf-8-bom":
      return new TextEncoder().encode(`\uFEFF${text}`);
    case "utf-16le":
    case "utf-16be":
      return utf16(`\uFEFF${text}`, encoding === "utf-16le");
    default:
      // The common part of both encodings.
      return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  }
}

export function utf16(text: string, isLittle: boolean): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(2 * text.length));
  for (let index = 0; index < text.length; index += 1) {
    view.setUint16(2 * index, text.charCodeAt(index), isLittle);
  }
  return new Uint8Array(view.buffer);
}
