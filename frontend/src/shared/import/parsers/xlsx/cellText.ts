import { tooLarge } from "../errors";

/** In characters: Excel's limit. */
const LONGEST_CELL = 32_767;

/** In characters, if every character is escaped. */
const LONGEST_ESCAPED = 8 * LONGEST_CELL;

/** Collects a cell's text, which arrives in pieces. */
export class CellText {
  #escaped = "";

  add(piece: string): void {
    this.#escaped += piece;
    requireShort(this.#escaped, LONGEST_ESCAPED);
  }

  /** Return the text and start the next one. */
  take(): string {
    const text = unescaped(this.#escaped);
    this.#escaped = "";
    requireShort(text, LONGEST_CELL);
    return text;
  }
}

function requireShort(text: string, most: number): void {
  if (text.length > most) {
    throw tooLarge(`a cell has more than 32,767 characters (it begins with “${text.slice(0, 30)}”)`);
  }
}

/** Decode escapes such as `_x000D_`, and normalise line ends to `\n`. */
function unescaped(text: string): string {
  return text
    .replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\r\n?/g, "\n");
}
