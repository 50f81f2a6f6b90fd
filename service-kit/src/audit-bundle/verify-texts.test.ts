import { describe, expect, it } from 'vitest';
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
const stored = { name: sampleCiphertext(1, 'Ada'), old: 'e30..AA.AA.AA' };

function judged(one: AuditRow) {
  const texts = new TextsFollower();
  texts.add(one);
  return { faults: texts.faults, summary: texts.summary() };
}

describe('the plain texts of rows', () => {
  it('are proved by their own keys', () => {
    const { faults, summary } = judged(
      row(stored, {
        'data.name': { text: 'Ada', key },
        sourceAddress: { text: '127.0.0.1', key: sampleTextKey(2) },
      }),
    );
    expect(faults).toEqual([]);
    expect(summary).toBe('All 2 plain texts are what was encrypted.');
  });

  it('are erased, private, or the word of the operator where they are older', () => {
    const { faults, summary } = judged(
      row(stored, { 'data.old': 'Ben', 'data.name': 'private', sourceAddress: 'erased' }),
    );
    expect(faults).toEqual([]);
    expect(summary).toContain('0 plain texts are what was encrypted. 1 are older');
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
    ['a key of an older text', { 'data.old': { text: 'Ada', key } }, 'is not what was encrypted'],
    ['a text for no ciphertext', { 'data.none': 'Ada' }, 'has no ciphertext in the row'],
    ['a text for a method', { 'data.toString': 'Ada' }, 'has no ciphertext in the row'],
    ['a text of another place', { type: 'Ada' }, 'has no ciphertext in the row'],
  ])('are refused with %s', (_, revealed, what) => {
    const [path] = Object.keys(revealed);
    expect(judged(row(stored, revealed)).faults).toEqual([`Row 1: the text of ${path} ${what}.`]);
  });
});
