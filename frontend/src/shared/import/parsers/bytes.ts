/** In bytes. */
const PIECE = 1 << 20;

/** Read a file in chunks. */
export async function* bytesOf(file: Blob): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let start = 0; start < file.size; start += PIECE) {
    yield new Uint8Array(await file.slice(start, start + PIECE).arrayBuffer());
  }
}
