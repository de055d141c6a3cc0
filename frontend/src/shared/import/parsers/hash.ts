import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { bytesOf } from "./bytes";

/** Return a file's SHA-256. The browser's own digest needs the whole file in memory, and a secure origin. */
export async function hashOf(file: Blob): Promise<string> {
  const hash = sha256.create();
  for await (const bytes of bytesOf(file)) hash.update(bytes);
  return bytesToHex(hash.digest());
}
