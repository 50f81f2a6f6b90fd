import { describe, expect, it } from 'vitest';
import { holdsWanted, wantedBy } from './wanted.ts';

describe('the kind of answer that a question wants', () => {
  it.each([
    ['How long is the guarantee?', 'duration'],
    ['How soon do you answer?', 'duration'],
    ['Wie lange habe ich Zeit?', 'duration'],
    ['退货期限是多久？', 'duration'],
    ['How many spies are there?', 'number'],
    ['How much does a ticket cost?', 'number'],
    ['Was kostet der Versand?', 'number'],
    ['送料はいくらですか？', 'number'],
    ['What is the address of the shop?', 'contact'],
    ['Why is the sea salty?', null],
  ])('%s', (question, wanted) => {
    expect(wantedBy(question)).toBe(wanted);
  });
});

describe('a duration', () => {
  it.each([
    'You may stay for twelve months.',
    'It takes 3 to 5 working days.',
    'He had worked for nearly two long years.',
    'The fence is thirty yards long.',
    'The judges hold their offices for life.',
    'Die Frist beträgt drei Jahre.',
    'La garantie est de deux ans.',
    '退货期限为三十天。',
  ])('is in “%s”', (quotation) => {
    expect(holdsWanted('duration', quotation)).toBe(true);
  });

  it.each([
    'The treaty was signed in 1783.',
    'All three and the captain went away.',
    'Years passed before anybody came.',
  ])('is not in “%s”', (quotation) => {
    expect(holdsWanted('duration', quotation)).toBe(false);
  });
});

describe('a number', () => {
  it.each(['It costs 5 euros.', 'Der Versand ist kostenlos.', 'Ten men do it.', '运费是五元。'])(
    'is in “%s”',
    (quotation) => expect(holdsWanted('number', quotation)).toBe(true),
  );

  it('is not where nothing is counted', () => {
    expect(holdsWanted('number', 'No vessel may enter the harbour.')).toBe(false);
    expect(holdsWanted('number', '1. Deutsch, Français, and the centre of a town')).toBe(false);
  });
});

describe('an age', () => {
  it('is not any number of years', () => {
    expect(holdsWanted('age', 'Nobody serves for more than three years.')).toBe(false);
    expect(holdsWanted('age', 'He must be thirty years of age.')).toBe(true);
    expect(holdsWanted('age', 'You have to be 18 or older.')).toBe(true);
  });
});
