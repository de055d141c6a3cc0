import { tooLarge } from "../unreadable";

/** In characters: the most that Excel lets a cell hold. */
const LONGEST_CELL = 32_767;

/** In characters: the same where each one is escaped. */
const LONGEST_ESCAPED = 8 * LONGEST_CELL;

/** Collects the text of a cell, which comes in pieces. */
export class CellText {
  #escaped = "";

  add(piece: string): void {
    this.#escaped += piece;
    requireShort(this.#escaped, LONGEST_ESCAPED);
  }

  /** Returns the text and begins the next one. */
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

/** Characters that XML cannot have are written as `_x000D_`; line ends become `\n`. */
function unescaped(text: string): string {
  return text
    .replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\r\n?/g, "\n");
}
