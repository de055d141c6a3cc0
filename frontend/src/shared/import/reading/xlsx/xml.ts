import { Parser } from "htmlparser2";

/** What is told of an XML document; names come without their prefix. */
export interface XmlEvents {
  opened?(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  closed?(name: string): void;
}

/** A parser that takes an XML document piece by piece. It knows no DTDs, so that no entity grows. */
export function xmlParser(events: XmlEvents): { write: (piece: string) => void; end: () => void } {
  return new Parser(
    {
      onopentag: (name, attributes) => events.opened?.(local(name), attributes),
      ontext: (text) => events.text?.(text),
      onclosetag: (name) => events.closed?.(local(name)),
    },
    { xmlMode: true, decodeEntities: true },
  );
}

/** Reads a document to its end. */
export async function readXml(pieces: AsyncGenerator<string>, events: XmlEvents): Promise<void> {
  const parser = xmlParser(events);
  for await (const piece of pieces) parser.write(piece);
  parser.end();
}

function local(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
