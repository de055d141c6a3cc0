import { Parser } from "htmlparser2";
import { tooLarge } from "../errors";

/** Handlers of XML events; names have no prefix. */
export interface XmlEvents {
  opened?(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  closed?(name: string): void;
}

/** Spreadsheet formats have about ten levels, and the parser's time grows with the square of the depth. */
const DEEPEST = 100;

/** In characters: the parser buffers a tag, comment or text until it ends. */
const LONGEST_PART = 1_000_000;

/** Create an incremental XML parser. It ignores DTDs, so that entities cannot expand. */
export function xmlParser(events: XmlEvents): { write: (piece: string) => void; end: () => void } {
  let depth = 0;
  let sinceTag = 0;
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        sinceTag = 0;
        depth += 1;
        if (depth > DEEPEST) throw tooLarge(`its XML is nested deeper than ${DEEPEST} levels`);
        events.opened?.(local(name), attributes);
      },
      ontext: (text) => events.text?.(text),
      onclosetag: (name) => {
        sinceTag = 0;
        depth -= 1;
        events.closed?.(local(name));
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  return {
    write: (piece) => {
      sinceTag += piece.length;
      if (sinceTag > LONGEST_PART) throw tooLarge("a part of it has more than 1,000,000 characters");
      parser.write(piece);
    },
    end: () => parser.end(),
  };
}

/** Parse a document to its end. */
export async function readXml(pieces: AsyncGenerator<string>, events: XmlEvents): Promise<void> {
  const parser = xmlParser(events);
  for await (const piece of pieces) parser.write(piece);
  parser.end();
}

function local(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
