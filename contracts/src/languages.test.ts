import { describe, expect, it } from 'vitest';
import { languageFor } from './languages.ts';

describe('the language of a visit', () => {
  it('is the one that was chosen before', () => {
    expect(languageFor('de', ['en-US'])).toBe('de');
  });

  it("is the first supported one of the browser's, whatever its region", () => {
    expect(languageFor(null, ['de-AT', 'en'])).toBe('de');
    expect(languageFor(null, ['eo', 'DE'])).toBe('de');
    expect(languageFor('tlh', ['de'])).toBe('de');
  });

  it('is English when none of them is supported', () => {
    expect(languageFor(null, [])).toBe('en');
    expect(languageFor('', ['eo', 'toString'])).toBe('en');
  });
});
