import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import { LIST_TEXT_MAX } from '@tallyhand/read-models/kernel/read';

type Json = HistoryEntry['changes'][number]['after'];
export type Fields = Readonly<Record<string, Json>>;

/** As the API calls them, where the events have other names. */
const NAMES: Readonly<Record<string, string>> = { persona: 'personaConfig', toolType: 'type' };
/** Told field by field. */
const OPENED = ['persona', 'config'];

/** What an event says of an object's fields: by the names of the API, long texts cut. */
export async function fieldsOf(
  data: Readonly<Record<string, unknown>>,
  textOf: (value: unknown) => Promise<string | null>,
): Promise<Fields> {
  const fields: Record<string, Json> = {};
  for (const [name, value] of Object.entries(data)) {
    if (value === undefined) continue;
    const known = NAMES[name] ?? name;
    if (OPENED.includes(name)) {
      for (const [inner, one] of Object.entries(value as object)) {
        fields[`${known}.${inner}`] = cut(one);
      }
      continue;
    }
    // Which credentials there are may be told, and nothing more of them.
    if (name === 'credentials') fields[known] = (value as { names: string[] }).names;
    else fields[known] = cut((await textOf(value)) ?? value);
  }
  return fields;
}

function cut(value: unknown): Json {
  if (typeof value === 'string') return value.slice(0, LIST_TEXT_MAX);
  return JSON.parse(JSON.stringify(value ?? null));
}

/** Only what is another value than before. */
export function changesBetween(before: Fields, after: Fields): HistoryEntry['changes'] {
  return Object.entries(after).flatMap(([field, value]) => {
    const known = before[field] ?? null;
    if (textOf(known) === textOf(value)) return [];
    return [{ field, before: known, after: value }];
  });
}

/** An empty list is as much as none. */
const textOf = (value: Json) => JSON.stringify(Array.isArray(value) && !value[0] ? null : value);
