import { describe, expect, it } from 'vitest';
import { baseOf, filesOf, sources } from './testing/words.ts';

/** Their keys come from the server: a refusal's code, a rule's sentence. */
const FROM_SERVER = ['problems', 'sentences', 'validation'];

const code = [...sources].filter(([path]) => !path.startsWith('locales/'));
const text = code.map(([, source]) => source).join('\n');
const namespaces = [...filesOf('en')].filter(([of]) => !of.startsWith('pages/'));
const keys = namespaces
  .filter(([of]) => !FROM_SERVER.includes(of))
  .flatMap(([of, words]) =>
    [...new Set([...words.keys()].map(baseOf))].map((key) => ({ of, key })),
  );

const escaped = (part: string) => part.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
/** Keys that are put together, as patterns: `statuses.${status}`. */
const patterns = [
  ...text.matchAll(/\b(?:t|common|of[A-Z]\w+|words?|say)\(\s*`((?:[^`$]|\$\{[^}]*\})*)`/g),
]
  .map(([, template = '']) => template.replace(/^\w+:/, ''))
  .filter((template) => template.includes('${'))
  .map((template) => ({
    template,
    pattern: new RegExp(
      `^${template
        .split(/\$\{[^}]*\}/)
        .map(escaped)
        .join('[\\w .-]+')}$`,
    ),
  }));

/**
 * Everything between quotation marks, starting at each of them: a word may contain an apostrophe.
 */
const literals = new Set([...text.matchAll(/'(?=([^'\n]+)')/g)].map(([, literal]) => literal));
const isNamed = (of: string, key: string) => literals.has(key) || literals.has(`${of}:${key}`);

describe('the English words', () => {
  it('are all used by the code', () => {
    const unused = keys.filter(
      ({ of, key }) => !isNamed(of, key) && !patterns.some(({ pattern }) => pattern.test(key)),
    );
    expect(unused.map(({ of, key }) => `${of}:${key}`)).toEqual([]);
  });

  it('have each key that the code puts together', () => {
    const lost = patterns.filter(({ pattern }) => !keys.some(({ key }) => pattern.test(key)));
    expect(lost.map(({ template }) => template)).toEqual([]);
  });
});

/** Names, addresses and programs, which are the same in every language. */
const SAME_IN_ALL = ['Tallyhand', 'curl', 'fetch', 'https://', 'support@example.com'];
const SPOKEN =
  'aria-label|aria-description|title|placeholder|alt|label|description|heading|caption';
const TEXTS = [
  // Between tags, and between a tag and a placeholder.
  /[^=\s]>\s*([^<>{}=;()&[\]]*\p{L}{2,}[^<>{}=;()&[\]]*?)\s*(?:<\/|\{)/gu,
  /\}\s*([^<>{}=;()|&?:]*\p{L}{2,}[^<>{}=;()|&?:]*?)\s*<\//gu,
  new RegExp(`\\s(?:${SPOKEN})=(?:\\{\\s*)?["'\`]([^"'\`$]*\\p{L}[^"'\`$]*)["'\`]`, 'gu'),
];

describe('the code of the pages', () => {
  it('contains no texts', () => {
    const pages = code.filter(([path]) => path.endsWith('.tsx'));
    const found = pages.flatMap(([path, source]) =>
      TEXTS.flatMap((pattern) => [...source.matchAll(pattern)])
        .map(([, words = '']) => words.trim())
        .filter((words) => !SAME_IN_ALL.includes(words))
        .map((words) => `${path}: ${words}`),
    );
    expect(found).toEqual([]);
  });

  it('writes numbers, dates and lists in the chosen language, never in that of the machine', () => {
    const careless =
      /Intl\.\w+\(\s*(?:['"`)]|undefined)|toLocale(?:Date|Time)?String\(\s*(?:\)|['"`]|undefined)/;
    const found = code.filter(([, source]) => careless.test(source));
    expect(found.map(([path]) => path)).toEqual([]);
  });
});
