import i18next, { type ResourceLanguage, type TFunction } from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { baseOf, filesOf, folders, formOf } from '../locales/testing/words.ts';
import { Translator, type Words } from './translator.ts';

const trees = import.meta.glob<Words>('../locales/*/*.json', { eager: true, import: 'default' });

/** How a sentence is asked for whose key may be any. */
type Say = (key: string, values?: object) => string;
const sayer = (t: TFunction) => t as unknown as Say;
const said = (language: string, words: Words) =>
  sayer(new Translator(language).add(language, 'common', words).tFor(['common']));

describe('a sentence', () => {
  it('is found by its path, in the first of the files that has it, or in the one that it names', () => {
    const t = sayer(
      new Translator('en')
        .add('en', 'tools', { form: { name: 'Tool name' } })
        .add('en', 'common', { form: { name: 'Name', email: 'Email' } })
        .tFor(['tools', 'common']),
    );
    expect(t('form.name')).toBe('Tool name');
    expect(t('form.email')).toBe('Email');
    expect(t('common:form.name')).toBe('Name');
  });

  it('is that of the context, where the context has one', () => {
    const t = said('en', { gone: 'Gone', gone_expired: 'Expired' });
    expect(t('gone', { context: 'expired' })).toBe('Expired');
    expect(t('gone', { context: 'other' })).toBe('Gone');
  });

  it('stays its key without a translation, or becomes its default, word for word', () => {
    const t = said('en', { form: { name: 'Name' } });
    expect(t('form.lost')).toBe('form.lost');
    expect(t('form')).toBe('form');
    expect(t('form.lost', { defaultValue: 'Use {{name}}', name: 'x' })).toBe('Use {{name}}');
  });

  it('is in the language of the page, also after a change', () => {
    const words = new Translator('en').add('en', 'a', { yes: 'Yes' }).add('de', 'a', { yes: 'Ja' });
    let changes = 0;
    words.subscribe(() => {
      changes += 1;
    });
    words.speak('de');
    expect(sayer(words.tFor(['a']))('yes')).toBe('Ja');
    expect(changes).toBe(1);
  });
});

describe('a value in a sentence', () => {
  const words = { of: '{{total}}', version: 'v{{version}}', name: '{{name}}' };
  it('is written as the language writes numbers, where it counts', () => {
    expect(said('en', words)('of', { total: 12_345 })).toBe('12,345');
    expect(said('de', words)('of', { total: 12_345 })).toBe('12.345');
  });

  it('is unchanged if it is a name or a text', () => {
    expect(said('en', words)('version', { version: 12_345 })).toBe('v12345');
    expect(said('en', words)('name', { name: '12345' })).toBe('12345');
    expect(said('en', words)('name', { name: '{{of}} $t(of) $&' })).toBe('{{of}} $t(of) $&');
  });
});

/** Quantities that take different forms in our languages. */
const COUNTS = [0, 1, 2, 3, 5, 11, 21, 22, 101, 1.5, 1_000_000];

describe.each(folders)('every sentence of a language (%s)', (language) => {
  const files = [...filesOf(language)].filter(([file]) => !file.includes('/'));
  const judge = i18next.createInstance();
  const ours = new Translator(language);
  beforeAll(async () => {
    const all: Record<string, Words> = {};
    for (const [file] of files) {
      const words = trees[`../locales/${language}/${file}.json`] ?? {};
      ours.add(language, file, words);
      all[file] = words;
    }
    await judge.init({
      lng: language,
      fallbackLng: false,
      resources: { [language]: all as ResourceLanguage },
      interpolation: { escapeValue: false },
    });
  });

  it('is the one that i18next finds, for every quantity', () => {
    const [t, other] = [sayer(ours.tFor([])), sayer(judge.t)];
    for (const [file, words] of files) {
      // These are keys with dots: whole sentences of the server.
      if (file === 'validation') continue;
      for (const key of words.keys()) {
        const names = [...(words.get(key) ?? '').matchAll(/\{\{(\w+)\}\}/g)].map(
          ([, name]) => name,
        );
        const values = Object.fromEntries(names.map((name) => [name, `<${name}>`]));
        const [asked, counts] = formOf(key) ? [baseOf(key), COUNTS] : [key, [undefined]];
        for (const count of counts) {
          const given = { ...values, ...(count !== undefined && { count }) };
          const plain = t(`${file}:${asked}`, given).replaceAll(/(?<=\d)[.,\s](?=\d)/g, '');
          const expected = other(`${file}:${asked}`, given).replaceAll(/(?<=\d)[.,\s](?=\d)/g, '');
          expect(plain, `${file}:${asked} ${count}`).toBe(expected);
        }
      }
    }
  });
});
