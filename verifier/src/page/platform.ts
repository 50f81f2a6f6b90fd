import { gcm } from '@noble/ciphers/aes.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 as sha256Of } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import {
  BAD_COMPRESSION,
  type Platform,
  SEALED_LENGTHS,
} from '@tallyhand/service-kit/platform/platform';

/*
 * What the verifier needs, in a page. The browser's own SHA-256 takes no pieces and is asynchronous,
 * and pages of plain HTTP have none, so hashes and signatures come from a library.
 */

const bytesOf = (data: string | Uint8Array) =>
  typeof data === 'string' ? Buffer.from(data) : data;

export const sha256: Platform['sha256'] = (data) => Buffer.from(sha256Of(bytesOf(data)));

export const sha256Hex: Platform['sha256Hex'] = (data) => bytesToHex(sha256Of(bytesOf(data)));

export const sha256Pieces: Platform['sha256Pieces'] = () => {
  const whole = sha256Of.create();
  return { update: (piece) => void whole.update(piece), digest: () => bytesToHex(whole.digest()) };
};

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb8_8320 : 0);
  return value;
});

export const crc32: Platform['crc32'] = (data, before) => {
  let value = ~before;
  for (const byte of data) value = (value >>> 8) ^ (CRC_TABLE[(value ^ byte) & 0xff] ?? 0);
  return ~value >>> 0;
};

const strictText = new TextDecoder('utf-8', { fatal: true });

export const isUtf8: Platform['isUtf8'] = (data) => {
  try {
    strictText.decode(data);
    return true;
  } catch {
    return false;
  }
};

export const isSignature: Platform['isSignature'] = (signature, text, key) => {
  try {
    // As RFC 8032 says and OpenSSL does, without the tolerance of ZIP 215.
    const options = { zip215: false };
    return ed25519.verify(signature, Buffer.from(text), Buffer.from(key, 'base64'), options);
  } catch {
    return false;
  }
};

export const opened: Platform['opened'] = ({ key, iv, tag, content, also }) => {
  const { key: keyLength, iv: ivLength, tag: tagLength } = SEALED_LENGTHS;
  if (key.length !== keyLength || iv.length !== ivLength || tag.length !== tagLength) return null;
  try {
    return Buffer.from(gcm(key, iv, also).decrypt(Buffer.concat([content, tag])));
  } catch {
    return null;
  }
};

let onRead: (bytes: number) => void = () => {};

/** Reports how many bytes of any file were read. */
export function whenRead(listener: (bytes: number) => void): void {
  onRead = listener;
}

export const openSource: Platform['openSource'] = async (file) => {
  if (typeof file === 'string') throw new Error('A page opens what the user chose');
  return {
    bytes: file.size,
    async read(from, to) {
      const bytes = await file
        .slice(from, to)
        .arrayBuffer()
        .catch((error: Error) => {
          // The file has changed since it was chosen, or is a folder.
          throw Object.assign(error, { code: error.name });
        });
      onRead(bytes.byteLength);
      return Buffer.from(bytes);
    },
    [Symbol.dispose]: () => {},
  };
};

export const inflated: Platform['inflated'] = async function* (pieces) {
  const { readable, writable } = new DecompressionStream('deflate-raw');
  const writer = writable.getWriter();
  const write = async () => {
    for await (const piece of pieces) await writer.write(new Uint8Array(piece));
    await writer.close();
  };
  let fault: unknown = null;
  const written = write().catch((error) => {
    fault ??= error;
    // Otherwise the reader would wait for more.
    return writer.abort(error).catch(() => {});
  });
  const reader = readable.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield Buffer.from(value);
    }
    await written;
    if (fault) throw fault;
  } catch (error) {
    throw error instanceof TypeError ? new Error(BAD_COMPRESSION) : error;
  } finally {
    await reader.cancel().catch(() => {});
  }
};
