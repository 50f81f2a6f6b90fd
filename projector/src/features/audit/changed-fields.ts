import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import { snake } from '@tallyhand/read-models/kernel/columns';
import { LIST_TEXT_MAX } from '@tallyhand/read-models/kernel/read';
import type { VersionedObject } from '@tallyhand/read-models/kernel/versioned-object';

type Json = HistoryEntry['changes'][number]['after'];
const SHORT_ID_LENGTH = 8;

export type Fields = Readonly<Record<string, Json>>;

/**
 * The fields of an object that an event names: by the names of the API, long texts cut. A field that
 * is itself an object is shown field by field; a list is one value.
 */
export async function fieldsOf(
  { columns, columnOf }: Pick<VersionedObject, 'columns' | 'columnOf'>,
  data: Readonly<Record<string, unknown>>,
  textOf: (value: unknown) => Promise<string | null>,
): Promise<Fields> {
  const fields: Record<string, Json> = {};
  for (const [name, value] of Object.entries(data)) {
    if (value === undefined) continue;
    const column = snake(name);
    const known = Object.entries(columnOf).find(([, renamed]) => renamed === column)?.[0] ?? name;
    const isObject = columns[column]?.type === 'jsonb' && !Array.isArray(value);
    if (isObject && !columns[column]?.isNullable) {
      for (const [inner, one] of Object.entries(value as object)) {
        fields[`${known}.${inner}`] = cut(one);
      }
      continue;
    }
    // Of an API key: where it may be sent, and that it was replaced.
    if (name === 'key') fields[known] = value === null ? null : keyText(value as StoredKey);
    // Only the names of credentials may be shown.
    else if (name === 'credentials') fields[known] = (value as { names: string[] }).names;
    else fields[known] = cut((await textOf(value)) ?? value);
  }
  return fields;
}

type StoredKey = { readonly id: string; readonly baseUrl: string };

const keyText = ({ id, baseUrl }: StoredKey) => `${baseUrl} (${id.slice(-SHORT_ID_LENGTH)})`;

function cut(value: unknown): Json {
  if (typeof value === 'string') return value.slice(0, LIST_TEXT_MAX);
  return JSON.parse(JSON.stringify(value ?? null));
}

/** The fields whose value changed. */
export function changesBetween(before: Fields, after: Fields): HistoryEntry['changes'] {
  return Object.entries(after).flatMap(([field, value]) => {
    const known = before[field] ?? null;
    if (textOf(known) === textOf(value)) return [];
    return [{ field, before: known, after: value }];
  });
}

/** An empty list equals none. */
const textOf = (value: Json) => JSON.stringify(Array.isArray(value) && !value[0] ? null : value);
