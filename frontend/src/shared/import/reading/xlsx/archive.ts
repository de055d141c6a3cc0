import { BlobReader, type FileEntry, ZipReader } from "@zip.js/zip.js/lib/zip-core-custom.js";
import { UnreadableFile } from "../unreadable";

/** The files in an XLSX file. */
export interface Archive {
  has(path: string): boolean;
  /** The text of one of them, piece by piece; nothing where it is missing. */
  text(path: string): AsyncGenerator<string>;
}

/** By the browser itself, here: the content security policy forbids workers made of text. */
const OPTIONS = { useWebWorkers: false, useCompressionStream: true } as const;

/** Reads the directory of an archive; its files are unpacked when they are asked for, as fast as they are taken. */
export async function openArchive(file: Blob): Promise<Archive> {
  const entries = await new ZipReader(new BlobReader(file), OPTIONS).getEntries().catch(() => {
    throw new UnreadableFile("This XLSX file is damaged: it cannot be opened. Save it once more, or as CSV.");
  });
  const files = new Map<string, FileEntry>();
  for (const entry of entries) if (!entry.directory) files.set(entry.filename, entry);
  return {
    has: (path) => files.has(path),
    text: (path) => textOf(files.get(path)),
  };
}

async function* textOf(entry: FileEntry | undefined): AsyncGenerator<string> {
  if (entry === undefined) return;
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  let failure: unknown;
  const written = entry.getData(writable, OPTIONS).catch((error: unknown) => {
    failure = error;
  });
  const reader = readable.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield decoder.decode(value, { stream: true });
    }
    yield decoder.decode();
  } catch (error) {
    failure ??= error;
  } finally {
    await reader.cancel().catch(() => undefined);
    await written;
  }
  if (failure !== undefined)
    throw new UnreadableFile("This XLSX file is damaged: a part of it cannot be read.");
}
