import i18next from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { inWords } from './i18n.ts';

const words = { of: '{{total}}', version: 'v{{version}}', name: '{{name}}' };
const said = i18next.createInstance().use(inWords);
beforeAll(() =>
  said.init({
    resources: { en: { translation: words }, de: { translation: words } },
    interpolation: { escapeValue: false, alwaysFormat: true },
  }),
);
const inLanguage = (lng: string, key: string, values: object) =>
  said.t(key as 'loading', { lng, ...values });

describe('a value in a sentence', () => {
  it('is written as the language writes numbers, where it counts', () => {
    expect(inLanguage('en', 'of', { total: 12_345 })).toBe('12,345');
    expect(inLanguage('de', 'of', { total: 12_345 })).toBe('12.345');
  });

  it('is unchanged if it is a name or a text', () => {
    expect(inLanguage('en', 'version', { version: 12_345 })).toBe('v12345');
    expect(inLanguage('en', 'name', { name: '12345' })).toBe('12345');
  });
});
