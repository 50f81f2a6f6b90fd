import { createCipheriv, generateKeyPairSync, sign } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { publicKeyOf } from '@tallyhand/service-kit/audit-bundle/keys';
import * as node from '@tallyhand/service-kit/platform/node';
import type { Platform, Sealed } from '@tallyhand/service-kit/platform/platform';
import { Buffer as PageBuffer } from 'buffer/index.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as page from './platform.ts';

const platforms: readonly Platform[] = [node, page];
const bytes = fc.uint8Array({ maxLength: 300 });

/** Both say the same, for any of the inputs. */
function agree<T>(inputs: fc.Arbitrary<T>, say: (platform: Platform, input: T) => unknown) {
  fc.assert(
    fc.property(inputs, (input) => {
      const [ofNode, ofPage] = platforms.map((platform) => say(platform, input));
      expect(ofPage).toEqual(ofNode);
    }),
    { numRuns: 500 },
  );
}

describe('the verifier in a page', () => {
  it('hashes as Node does, whole and in pieces', () => {
    agree(bytes, ({ sha256, sha256Hex }, data) => [sha256(data).toString('hex'), sha256Hex(data)]);
    agree(fc.string({ unit: 'binary' }), ({ sha256Hex }, text) => sha256Hex(text));
    agree(fc.array(bytes), ({ sha256Pieces }, pieces) => {
      const whole = sha256Pieces();
      for (const piece of pieces) whole.update(piece);
      return whole.digest();
    });
  });

  it('computes checksums as Node does', () => {
    agree(fc.tuple(bytes, fc.nat(0xffff_ffff)), ({ crc32 }, [data, sum]) => crc32(data, sum));
  });

  it('knows UTF-8 as Node does', () => {
    const text = fc.string({ unit: 'binary' }).map((value) => new Uint8Array(Buffer.from(value)));
    agree(fc.oneof(bytes, text), ({ isUtf8 }, data) => isUtf8(data));
  });

  it('accepts the signatures that Node accepts', () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const { raw } = publicKeyOf(privateKey);
    const signature = sign(null, Buffer.from('text'), privateKey);
    const changed = fc.record({
      at: fc.nat(63),
      to: fc.nat(255),
      text: fc.constantFrom('text', 'other'),
    });
    agree(changed, ({ isSignature }, { at, to, text }) => {
      const other = Buffer.from(signature);
      other[at] = to;
      return isSignature(other, text, raw);
    });
    for (const { isSignature } of platforms) expect(isSignature(signature, 'text', raw)).toBe(true);
    // Keys and points of small order, and numbers beyond the order of the group.
    const keys = ['00', '01', 'ec', 'ed', 'ff'].flatMap((first) =>
      ['00', '7f', '80', 'ff'].map((last) => `${first}${last.repeat(31)}`),
    );
    for (const key of keys.map((hex) => Buffer.from(hex, 'hex').toString('base64'))) {
      for (const fill of [0, 1, 255]) {
        const forged = Buffer.alloc(64, fill);
        const [ofNode, ofPage] = platforms.map((one) => one.isSignature(forged, 'text', key));
        expect(ofPage, key).toBe(ofNode);
      }
    }
  });

  it('opens what Node opens of AES-256-GCM', () => {
    const [key, iv, also] = [Buffer.alloc(32, 1), Buffer.alloc(12, 2), Buffer.from('header')];
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(also);
    const content = Buffer.concat([cipher.update('text'), cipher.final()]);
    const sealed: Sealed = { key, iv, also, content, tag: cipher.getAuthTag() };
    for (const { opened } of platforms) {
      expect(opened(sealed)?.toString()).toBe('text');
      const none = createCipheriv('aes-256-gcm', key, iv).setAAD(also);
      none.final();
      const empty = { ...sealed, content: Buffer.of(), tag: none.getAuthTag() };
      expect(opened(empty)?.length).toBe(0);
    }
    const part = fc.constantFrom('key', 'iv', 'also', 'content', 'tag');
    agree(fc.tuple(part, fc.uint8Array({ maxLength: 33 })), ({ opened }, [name, other]) =>
      opened({ ...sealed, [name]: Buffer.from(other) }),
    );
    for (const name of Object.keys(sealed) as (keyof Sealed)[]) {
      for (const { opened } of platforms) {
        const changed = Buffer.from(sealed[name]);
        changed[0] = (changed[0] ?? 0) ^ 1;
        expect(opened({ ...sealed, [name]: changed }), name).toBeNull();
        expect(opened({ ...sealed, [name]: sealed[name].subarray(1) }), name).toBeNull();
      }
    }
  });

  it('reads files and expands them as Node does', async () => {
    const data = Buffer.from('text '.repeat(100_000));
    using source = await page.openSource(new Blob([data]));
    expect(source.bytes).toBe(data.length);
    expect((await source.read(10, 20)).toString()).toBe(data.toString('utf8', 10, 20));
    const packed = deflateRawSync(data);
    for (const { inflated } of platforms) {
      const pieces = (async function* () {
        yield packed.subarray(0, 100);
        yield packed.subarray(100);
      })();
      expect(Buffer.concat(await Array.fromAsync(inflated(pieces))).equals(data)).toBe(true);
      const cut = (async function* () {
        yield packed.subarray(0, 100);
      })();
      await expect(Array.fromAsync(inflated(cut))).rejects.toThrow(
        'its compressed data is damaged',
      );
    }
  });

  it('reads and writes texts and base64 with its own buffers as with those of Node', () => {
    const read = (Bytes: typeof Buffer, text: string) => [
      Bytes.from(text).toString('hex'),
      Bytes.from(text).toString(),
      Bytes.from(text, 'base64').toString('base64'),
      Bytes.byteLength(Bytes.from(text, 'base64').toString('base64'), 'base64'),
    ];
    const base64 = fc.oneof(
      fc.base64String(),
      fc.string({ unit: fc.constantFrom('A', 'b', '9', '+', '/', '-', '_', '=', '\n') }),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(base64, (text) => {
        const canonical = (Bytes: typeof Buffer) => read(Bytes, text)[2] === text;
        const own = PageBuffer as unknown as typeof Buffer;
        expect(canonical(own)).toBe(canonical(Buffer));
        if (canonical(Buffer)) expect(read(own, text)).toEqual(read(Buffer, text));
        expect(read(own, text).slice(0, 2)).toEqual(read(Buffer, text).slice(0, 2));
      }),
      { numRuns: 2_000 },
    );
  });
});
