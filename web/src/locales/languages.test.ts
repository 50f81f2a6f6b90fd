import { languages } from '@tallyhand/contracts/languages';
import { describe, expect, it } from 'vitest';
import { resources } from './en.ts';
import { baseOf, filesOf, folders, formOf, type Words } from './testing/words.ts';

const same = import.meta.glob<readonly string[]>('./testing/same/*.json', {
  eager: true,
  import: 'default',
});
/** What is the same in the language, such as names: in every language, and in this one. */
const sameIn = (language: string) =>
  ['every', language].flatMap((of) => same[`./testing/same/${of}.json`] ?? []);

const english = filesOf('en');
const translated = folders.filter((folder) => folder !== 'en');

/** What contains no words: addresses, days, pictures and code of the text pages. */
const isTechnical = (key: string) => /(^|\.)(id|date|image|code|sample)$/.test(key);
const marksIn = (text: string) =>
  [...text.matchAll(/\{\{\w+\}\}|<\/?\w+>|\]\([^)]*\)|`[^`]*`/g)].map(([mark]) => mark).sort();
const hasWords = (text: string) => /\p{L}/u.test(text.replace(/\{\{\w+\}\}|`[^`]*`/g, ''));

/** Keys with the language's own forms of plurals in the place of the English ones. */
function expectedKeys(words: Words, language: string): string[] {
  const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  const keys = [...words.keys()].flatMap((key) =>
    formOf(key) ? forms.map((form) => `${baseOf(key)}_${form}`) : [key],
  );
  return [...new Set(keys)].sort();
}

/** A form for one number only may spell it out. */
function saysItsNumber(language: string, form: string): boolean {
  const rules = new Intl.PluralRules(language);
  const numbers = Array.from({ length: 200 }, (_, n) => n);
  return numbers.filter((n) => rules.select(n) === form).length !== 1;
}

/** Sentences about texts that have other placeholders, tags, links or code than the English. */
function wrongMarks(language: string, namespace: string, words: Words): string[] {
  const source = english.get(namespace);
  return [...words].flatMap(([key, text]) => {
    const form = formOf(key);
    const model = source?.get(form ? `${baseOf(key)}_other` : key) ?? '';
    const [wanted, found] = [marksIn(model), marksIn(text)];
    const isRight =
      form && !saysItsNumber(language, form)
        ? found.every((mark) => wanted.includes(mark))
        : wanted.join() === found.join();
    return isRight ? [] : [`${namespace}:${key} has ${found}, not ${wanted}`];
  });
}

describe('the languages', () => {
  it('are offered as soon as they have their words, and not before', () => {
    expect(languages.map(({ code }) => code as string).sort()).toEqual([...folders].sort());
  });

  it('have each file of English words in the types of keys', () => {
    const files = [...english.keys()].filter((file) => !file.startsWith('pages/'));
    expect(Object.keys(resources).sort()).toEqual(files.sort());
  });
});

describe.each(folders)('the words in %s', (language) => {
  const files = filesOf(language);

  it('are in the same files as the English ones', () => {
    expect([...files.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it.each([...files.keys()])(
    '%s: none is missing, none too many, plurals of the language',
    (of) => {
      const words = files.get(of) ?? new Map();
      expect([...words.keys()].sort()).toEqual(
        expectedKeys(english.get(of) ?? new Map(), language),
      );
    },
  );

  it('are not empty, and neither begin nor end with a space', () => {
    const wrong = [...files].flatMap(([of, words]) =>
      [...words].filter(([, text]) => text.trim() !== text || !text).map(([key]) => `${of}:${key}`),
    );
    expect(wrong).toEqual([]);
  });

  it('keep placeholders, tags, links and code', () => {
    expect([...files].flatMap(([of, words]) => wrongMarks(language, of, words))).toEqual([]);
  });
});

describe.each(translated)('the texts that %s shares with English', (language) => {
  const files = filesOf(language);
  const equal = [...files].flatMap(([of, words]) =>
    [...words].filter(([key, text]) => hasWords(text) && english.get(of)?.get(key) === text),
  );

  it('are only those of the list, and technical ones', () => {
    const allowed = new Set(sameIn(language));
    const left = equal.filter(([key, text]) => !isTechnical(key) && !allowed.has(text));
    expect(left).toEqual([]);
  });

  it('are listed only if they are shared', () => {
    const texts = new Set(equal.map(([, text]) => text));
    const own = same[`./testing/same/${language}.json`] ?? [];
    expect(own.filter((text) => !texts.has(text))).toEqual([]);
  });

  it('contain no words: addresses within pages, days, pictures, code', () => {
    const changed = [...files].flatMap(([of, words]) =>
      [...words].filter(
        ([key, text]) => isTechnicalOfPage(of, key) && english.get(of)?.get(key) !== text,
      ),
    );
    expect(changed).toEqual([]);
  });
});

function isTechnicalOfPage(namespace: string, key: string): boolean {
  return namespace.startsWith('pages/') && isTechnical(key);
}
