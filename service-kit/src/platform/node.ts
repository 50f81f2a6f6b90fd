import { isUtf8 as isUtf8Buffer } from 'node:buffer';
import {
  createDecipheriv,
  createHash,
  createPublicKey,
  createSecretKey,
  hash,
  type KeyObject,
  verify,
} from 'node:crypto';
import { closeSync, fstatSync, openSync, read } from 'node:fs';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { crc32 as crc32Of, createInflateRaw } from 'node:zlib';
import { BAD_COMPRESSION, type Platform, SEALED_LENGTHS } from './platform.ts';

/** The page of the verifier is bundled with another file instead of this one. */

const readAt = promisify(read);

export const sha256: Platform['sha256'] = (data) => hash('sha256', data, 'buffer');

export const sha256Hex: Platform['sha256Hex'] = (data) => hash('sha256', data, 'hex');

export const sha256Pieces: Platform['sha256Pieces'] = () => {
  const whole = createHash('sha256');
  return { update: (piece) => void whole.update(piece), digest: () => whole.digest('hex') };
};

export const crc32: Platform['crc32'] = crc32Of;

export const isUtf8: Platform['isUtf8'] = isUtf8Buffer;

export const isSignature: Platform['isSignature'] = (signature, text, key) => {
  return verify(null, Buffer.from(text), keyObjectOf(key), signature);
};

/** All checkpoints of an installation are signed with a few keys. */
const KEYS_KEPT_MAX = 100;
const keyObjects = new Map<string, KeyObject>();

function keyObjectOf(raw: string): KeyObject {
  const known = keyObjects.get(raw);
  if (known) return known;
  const x = Buffer.from(raw, 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  if (keyObjects.size < KEYS_KEPT_MAX) keyObjects.set(raw, key);
  return key;
}

export const opened: Platform['opened'] = ({ key, iv, tag, content, also }) => {
  if (iv.length !== SEALED_LENGTHS.iv) return null;
  try {
    const options = { authTagLength: SEALED_LENGTHS.tag };
    const cipher = createDecipheriv('aes-256-gcm', createSecretKey(key), iv, options);
    cipher.setAAD(also).setAuthTag(tag);
    return Buffer.concat([cipher.update(content), cipher.final()]);
  } catch {
    return null;
  }
};

export const openSource: Platform['openSource'] = async (file) => {
  if (typeof file !== 'string') throw new Error('Node opens files by their paths');
  const descriptor = openSync(file, 'r');
  const stats = fstatSync(descriptor);
  if (stats.isDirectory()) {
    closeSync(descriptor);
    throw Object.assign(new Error('This is a folder'), { code: 'EISDIR' });
  }
  return {
    bytes: stats.size,
    async read(from, to) {
      const piece = Buffer.allocUnsafe(Math.max(0, Math.min(to, stats.size) - from));
      let filled = 0;
      while (filled < piece.length) {
        const { bytesRead } = await readAt(
          descriptor,
          piece,
          filled,
          piece.length - filled,
          from + filled,
        );
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return piece.subarray(0, filled);
    },
    [Symbol.dispose]: () => closeSync(descriptor),
  };
};

export const inflated: Platform['inflated'] = async function* (pieces) {
  let given = 0;
  const counted = async function* () {
    for await (const piece of pieces) {
      given += piece.length;
      yield piece;
    }
  };
  const engine = createInflateRaw();
  const source = Readable.from(counted(), { objectMode: false });
  source.on('error', (error) => engine.destroy(error));
  source.pipe(engine);
  try {
    for await (const piece of engine) yield piece as Buffer;
  } catch (error) {
    const isOfEngine = String((error as { code?: unknown }).code).startsWith('Z_');
    throw isOfEngine ? new Error(BAD_COMPRESSION) : error;
  } finally {
    source.destroy();
    engine.destroy();
  }
  if (engine.bytesWritten !== given) throw new Error(BAD_COMPRESSION);
};
