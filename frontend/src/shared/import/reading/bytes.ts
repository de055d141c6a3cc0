/** In bytes: large enough to be quick, small beside what a browser has. */
const PIECE = 1 << 20;

/** A file's bytes, piece by piece. */
export async function* bytesOf(file: Blob): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let start = 0; start < file.size; start += PIECE) {
    yield new Uint8Array(await file.slice(start, start + PIECE).arrayBuffer());
  }
}
