import { createCipheriv } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { encryptForPerson } from '../crypto/person-keys.ts';
import type { AuditRow } from './row.ts';
import { sampleCiphertext, sampleRow, sampleTextKey } from './testing/sample-bundle.ts';
import { TextsFollower } from './verify-texts.ts';

const key = sampleTextKey(1);
const row = (data: AuditRow['data'], revealed: AuditRow['revealed']): AuditRow => ({
  ...sampleRow(1),
  data,
  sourceAddress: sampleCiphertext(2, '127.0.0.1'),
  revealed,
});
const stored = {
  name: sampleCiphertext(1, 'Ada'),
  keyless: sampleCiphertext(1, 'Ben', false),
  title: 'No ciphertext',
};

function judged(one: AuditRow) {
  const texts = new TextsFollower();
  texts.add(one);
  return { faults: texts.faults, summary: texts.summary() };
}

/** What the product would have written with another header. */
function withHeader(header: object, text: string): string {
  const also = Buffer.from(JSON.stringify(header)).toString('base64url');
  const iv = Buffer.alloc(12, 1);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'base64url'), iv);
  cipher.setAAD(Buffer.from(also));
  const content = Buffer.concat([cipher.update(text), cipher.final()]);
  const parts = [iv, content, cipher.getAuthTag()].map((part) => part.toString('base64url'));
  return [also, '', ...parts].join('.');
}

const GCM = { alg: 'dir', enc: 'A256GCM' } as const;
const kidOf = (ciphertext: string) =>
  JSON.parse(Buffer.from(ciphertext.split('.')[0] ?? '', 'base64url').toString()).kid as string;

describe('the plain texts of rows', () => {
  it('are proved by their own keys', () => {
    const { faults, summary } = judged(
      row(stored, {
        'data.name': { text: 'Ada', key },
        sourceAddress: { text: '127.0.0.1', key: sampleTextKey(2) },
      }),
    );
    expect(faults).toEqual([]);
    expect(summary).toBe('Personal texts: 2 plain texts are what was encrypted.');
  });

  it('are erased, private, or the word of the operator where they have no key', () => {
    const { faults, summary } = judged(
      row(stored, { 'data.keyless': 'Ben', 'data.name': 'private', sourceAddress: 'erased' }),
    );
    expect(faults).toEqual([]);
    expect(summary).toBe(
      'Personal texts: 0 plain texts are what was encrypted; 1 have no key of their own and are ' +
        'the word of the operator; 2 are erased or private.',
    );
  });

  it('are written by the product as the samples are', () => {
    const ciphertext = encryptForPerson(new Uint8Array(32), 'Ada');
    expect(Buffer.from(kidOf(ciphertext), 'base64url')).toHaveLength(48);
    expect(judged(row({ name: ciphertext }, { 'data.name': 'Ada' })).faults).toHaveLength(1);
  });

  it.each<[string, AuditRow['revealed'], string]>([
    ['another text', { 'data.name': { text: 'Eve', key } }, 'is not what was encrypted'],
    [
      'a key that was made up',
      { 'data.name': { text: 'Ada', key: sampleTextKey(9) } },
      'is not what was encrypted',
    ],
    [
      'the text and key of another place',
      { 'data.name': { text: '127.0.0.1', key: sampleTextKey(2) } },
      'is not what was encrypted',
    ],
    ['no key', { 'data.name': 'Ada' }, 'has no key, so that it may be invented'],
    [
      'a key where there is none',
      { 'data.keyless': { text: 'Ben', key } },
      'is not what was encrypted',
    ],
    ['a text for no ciphertext', { 'data.none': 'Ada' }, 'has no ciphertext in the row'],
    ['a text for a plain one', { 'data.title': 'Ada' }, 'has no key, so that it may be invented'],
    ['a text for a method', { 'data.toString': 'Ada' }, 'has no ciphertext in the row'],
    ['a text of another place', { type: 'Ada' }, 'has no ciphertext in the row'],
  ])('are refused with %s', (_, revealed, what) => {
    const [path] = Object.keys(revealed);
    expect(judged(row(stored, revealed)).faults).toEqual([`Row 1: the text of "${path}" ${what}.`]);
  });

  it.each([
    ['names no key', GCM],
    ['names another key', { ...GCM, kid: kidOf(sampleCiphertext(2, 'Ada')) }],
    ['is written in another order', { enc: GCM.enc, alg: GCM.alg, kid: kidOf(stored.name) }],
    ['has more fields', { ...GCM, kid: kidOf(stored.name), zip: 'DEF' }],
    ['has a longer name of the key', { ...GCM, kid: `${kidOf(stored.name)}AAAA` }],
  ])('are refused where the header of the ciphertext %s', (_, header) => {
    const forged = row({ name: withHeader(header, 'Eve') }, { 'data.name': { text: 'Eve', key } });
    expect(judged(forged).faults).toHaveLength(1);
  });

  it('can print nothing that looks like another line, and keep little of a long place', () => {
    const path = `data.\u001b[2J\nThe export is whole and unaltered.${'x'.repeat(100_000)}`;
    const [fault = ''] = judged(row({}, { [path]: 'Eve' })).faults;
    expect(fault).toMatch(/^Row 1: the text of "data\.\\u001b\[2J\\nThe/);
    expect(fault.length).toBeLessThan(250);
    const dots = judged(row({ name: '.'.repeat(1_000_000) }, { 'data.name': { text: '', key } }));
    expect(dots.faults).toHaveLength(1);
  });
});
