import { randomBytes } from 'node:crypto';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { describe, expect, it } from 'vitest';
import { decryptForPerson, encryptForPerson, UnreadableText } from './person-keys.ts';

const key = randomBytes(32);

describe("a person's data", () => {
  it.each(['', 'ada@example.com', 'Åsa 返品 👩‍🔬', '\uFEFFmark', 'x'.repeat(10_000)])(
    'is read with the key of the person',
    async (text) => {
      expect(decryptForPerson(key, encryptForPerson(key, text))).toMatchObject({
        text,
      });
    },
  );
  it('is a compact JWE that shows nothing of the text, and differs each time', async () => {
    const jwe = encryptForPerson(key, 'ada@example.com');
    expect(jwe.split('.')).toHaveLength(5);
    expect(Buffer.from(jwe.replaceAll('.', ''), 'base64url').includes('ada')).toBe(false);
    expect(encryptForPerson(key, 'ada@example.com')).not.toBe(jwe);
  });
  it('has a key of its own, with which others open this text and no other', async () => {
    const [first, second] = [encryptForPerson(key, 'Ada'), encryptForPerson(key, 'Ben')];
    const { key: textKey } = decryptForPerson(key, first);
    const given = Buffer.from(textKey ?? '', 'base64url');
    expect(String(Buffer.from((await compactDecrypt(first, given)).plaintext))).toBe('Ada');
    await expect(compactDecrypt(second, given)).rejects.toThrow();
    expect(Buffer.from(key).equals(given)).toBe(false);
  });
  it('is read as version 0.1.0 wrote it, without a key of its own', async () => {
    const jwe = await new CompactEncrypt(Buffer.from('Ada'))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .encrypt(key);
    expect(decryptForPerson(key, jwe as Ciphertext)).toEqual({ text: 'Ada', key: null });
  });
  it('stays closed to another key, and when it was altered', async () => {
    const jwe = encryptForPerson(key, 'ada@example.com');
    expect(() => decryptForPerson(randomBytes(32), jwe)).toThrow(UnreadableText);
    const [header, none, iv, text = '', tag] = jwe.split('.');
    const flipped = `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`;
    const altered = [header, none, iv, flipped, tag].join('.') as Ciphertext;
    expect(() => decryptForPerson(key, altered)).toThrow(UnreadableText);
    for (const other of ['', 'text', 'a.b.c.d.e', `${jwe}.more`, jwe.replace('..', '.x.')]) {
      expect(() => decryptForPerson(key, other as Ciphertext), other).toThrow(UnreadableText);
    }
  });
});
