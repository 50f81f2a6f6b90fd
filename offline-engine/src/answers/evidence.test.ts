import type { Passage } from '@tallyhand/agent-runtime/engine';
import { describe, expect, it } from 'vitest';
import { evidenceFor, libraryOf } from './evidence.ts';
import { questionsOf } from './question.ts';

const passage = (articleId: string, ordinal: number, text: string): Passage => ({
  articleId,
  articleVersion: 1,
  articleTitle: articleId,
  ordinal,
  heading: null,
  text,
});

function evidenceOf(question: string, passages: Passage[]) {
  const [first] = questionsOf(question, 'en');
  if (!first) throw new Error('The question has no subject');
  return evidenceFor(first, libraryOf(passages, 'en'));
}

const bestOf = (question: string, passages: Passage[]) => evidenceOf(question, passages)[0];

describe('the order of passages', () => {
  it('prefers the article that names the subject of the question', () => {
    const best = bestOf('What colour was the hair of Ahab?', [
      passage('tailor', 0, 'His hair was black, and so was his coat.'),
      passage('whale', 0, 'Ahab walked up and down the deck.'),
      passage('whale', 1, 'His hair was black, and so was his coat.'),
    ]);
    expect(best?.passage).toMatchObject({ articleId: 'whale', ordinal: 1 });
  });

  it('distinguishes passages by small words when nothing else does', () => {
    const best = bestOf('What can you do for your country?', [
      passage('one', 0, 'A country is a piece of land.'),
      passage('two', 0, 'Ask what you can do for your country.'),
      passage('three', 0, 'The country lies by the sea.'),
    ]);
    expect(best?.passage.articleId).toBe('two');
  });

  it('finds other words for those of the question', () => {
    const best = bestOf('What wage does a clerk get?', [
      passage('one', 0, 'A clerk sits at his desk the whole day.'),
      passage('two', 0, 'The salary of a clerk is four pounds.'),
    ]);
    expect(best?.passage.articleId).toBe('two');
  });
});

describe('a text that was ranked before', () => {
  const text = 'It is painted green. It sails at dawn.';
  const question = 'Which colour has the schooner?';

  it('is ranked by the title, the heading and the article that it has now', () => {
    const first = passage('one', 0, text);
    expect(evidenceOf(question, [first])[0]).toMatchObject({ passage: first });
    const renamed = { ...first, articleTitle: 'The schooner', heading: 'Colour' };
    const [before, after] = [first, renamed].map((one) => evidenceOf(question, [one])[0]);
    expect(after?.passage).toBe(renamed);
    expect(after?.coverage).toBeGreaterThan(before?.coverage ?? 1);
  });

  it('is read in the language of each question', () => {
    const german = passage('two', 0, 'Wir liefern Holz.');
    const [asked] = questionsOf('Wer liefert Steine?', 'de');
    if (!asked) throw new Error('The question has no subject');
    expect(bestOf('Wer liefert Steine?', [german])).toBeUndefined();
    expect(evidenceFor(asked, libraryOf([german], 'de'))[0]?.quote).toBe(german.text);
  });
});

describe('enough for an answer', () => {
  const question = 'Which harbour did the schooner reach?';
  const half = 'The schooner was painted green.';

  it('is lower when the next best passage has no such answer', () => {
    const found = evidenceOf('Which harbour did the old schooner reach?', [
      passage('one', 0, 'The schooner reached the port of Cadiz.'),
      passage('two', 0, 'An old man sat there.'),
    ]);
    expect(found.map((one) => one.holds)).toEqual([true, false]);
  });

  it('requires more of the question from a single article than from part of one', () => {
    const text = 'The shop is open from nine to five on weekdays.';
    const confidence = (one: Passage) =>
      bestOf('Does the shop sell open sandwiches?', [one])?.confidence ?? 0;
    const alone = confidence(passage('shop', 0, text));
    expect(alone).toBeLessThan(confidence(passage('shop', 1, text)));
    expect(alone).toBeLessThan(confidence({ ...passage('shop', 0, text), heading: 'Hours' }));
  });

  it('is less for an instruction than for a question', () => {
    const passages = [
      passage('one', 0, 'The deposit comes back in five days.'),
      passage('two', 0, 'Nobody pays twice.'),
    ];
    const holds = (asked: string) => bestOf(asked, passages)?.holds;
    expect(holds('Deposit of a bicycle?')).toBe(false);
    expect(holds('Deposit of a bicycle')).toBe(true);
  });

  it('is a number beside the thing it counts, not any number', () => {
    const [near] = evidenceOf('How many witnesses are needed for treason?', [
      passage('one', 0, 'Treason needs two witnesses.'),
    ]);
    const [far] = evidenceOf('How many witnesses are needed for treason?', [
      passage(
        'one',
        0,
        'Treason, of which three different kinds are known to lawyers, has witnesses.',
      ),
    ]);
    expect(near?.coverage).toBeGreaterThan(far?.coverage ?? 1);
  });

  it('is not reached where several passages meet the same part of the question', () => {
    const found = evidenceOf(question, [passage('one', 0, half), passage('two', 0, half)]);
    expect(found.map((one) => one.holds)).toEqual([false, false]);
  });
});
