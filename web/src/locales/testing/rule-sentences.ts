import { z } from 'zod';

type Checked = { _zod: { def: object } };

const isChecked = (value: unknown): value is Checked =>
  typeof value === 'object' && value !== null && '_zod' in value;

/** What a rule says where it is the same whatever was typed. */
function sentenceOf(def: object): string[] {
  if (!('error' in def) || typeof def.error !== 'function') return [];
  const said: unknown = def.error({ code: 'custom', input: '', path: [] });
  return typeof said === 'string' ? [said] : [];
}

/** The sentences of all rules within schemas, each once. */
export function sentencesOf(schemas: readonly unknown[]): string[] {
  const seen = new Set<unknown>();
  const found = new Set<string>();
  const walk = (value: unknown) => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    if (isChecked(value)) {
      for (const sentence of sentenceOf(value._zod.def)) found.add(sentence);
      if (value instanceof z.ZodLazy) walk(value.unwrap());
      return walk(value._zod.def);
    }
    for (const child of Object.values(value)) walk(child);
  };
  walk(schemas);
  return [...found].sort();
}
