import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { bytesOf } from "./bytes";

/** A file's SHA-256. The browser's own takes only whole files, and secure origins. */
export async function hashOf(file: Blob): Promise<string> {
  const hash = sha256.create();
  for await (const bytes of bytesOf(file)) hash.update(bytes);
  return bytesToHex(hash.digest());
}
