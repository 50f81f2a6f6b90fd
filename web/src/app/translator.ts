import type { TFunction } from 'i18next';
import { numberFormat } from '../ui/formats.ts';

/** The words of a file, as deep as they are grouped. */
export type Words = { readonly [key: string]: string | Words };

type Options = Readonly<Record<string, unknown>> & {
  readonly count?: number;
  /** Chooses between several sentences of one key. */
  readonly context?: unknown;
  /** Stands in where there is no translation. */
  readonly defaultValue?: string;
};

/** Numbers that name something instead of counting it. */
const NAMES: ReadonlySet<string> = new Set(['sequence', 'status', 'version']);

/**
 * Finds and fills in sentences: the part of i18next's format that our words use. Keys are paths such as
 * `form.title`, perhaps with their file (`problems:network`). `_one` and the like follow the language's
 * plurals, `_expired` and the like the context. Values are not escaped, because React escapes.
 */
export class Translator {
  language: string;
  readonly #files = new Map<string, Words>();
  readonly #listeners = new Set<() => void>();

  constructor(language: string) {
    this.language = language;
  }

  add(language: string, namespace: string, words: Words): this {
    this.#files.set(`${language}/${namespace}`, words);
    return this;
  }

  has(namespace: string): boolean {
    return this.#files.has(`${this.language}/${namespace}`);
  }

  /** All words of a file in a language. */
  getResourceBundle(language: string, namespace: string): Words | undefined {
    return this.#files.get(`${language}/${namespace}`);
  }

  /** Its words have been added. */
  speak(language: string) {
    this.language = language;
    for (const listener of this.#listeners) listener();
  }

  subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Gives the sentences of these files, in the language of now. A key without a sentence stays as it is. */
  tFor(namespaces: readonly string[]): TFunction {
    const { language } = this;
    const translate = (keys: string | readonly string[], options: Options = {}) => {
      const paths = [keys].flat();
      const found = paths.map((key) => this.#find(language, namespaces, key, options));
      const text = found.find((each) => each !== undefined);
      if (text !== undefined) return fillIn(language, text, options);
      return options.defaultValue ?? paths.at(-1) ?? '';
    };
    return translate as unknown as TFunction;
  }

  #find(language: string, namespaces: readonly string[], key: string, options: Options) {
    const [path = '', ...named] = key.split(':').reverse();
    const groups = path.split('.');
    const last = groups.pop() ?? '';
    for (const namespace of named.length > 0 ? named : namespaces) {
      let words: Words | string | undefined = this.getResourceBundle(language, namespace);
      for (const group of groups) words = typeof words === 'object' ? words[group] : undefined;
      if (typeof words !== 'object') continue;
      for (const variant of variantsOf(language, last, options)) {
        const text = words[variant];
        if (typeof text === 'string') return text;
      }
    }
    return undefined;
  }
}

/** From the most to the least particular. */
function variantsOf(language: string, key: string, { count, context }: Options): string[] {
  const plural = typeof count === 'number' ? `_${pluralOf(language, count)}` : '';
  const both = typeof context === 'string' ? [`${key}_${context}`, key] : [key];
  return plural ? both.flatMap((each) => [each + plural, each]) : both;
}

const rules = new Map<string, Intl.PluralRules>();

function pluralOf(language: string, count: number): Intl.LDMLPluralRule {
  const known = rules.get(language) ?? new Intl.PluralRules(language);
  rules.set(language, known);
  return known.select(count);
}

/** Values in place of their names: quantities as the language writes them. */
const fillIn = (language: string, text: string, values: Options) =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (typeof value === 'number' && !NAMES.has(name)) return numberFormat(language).format(value);
    return value === undefined || value === null ? '' : String(value);
  });
