import { eventsByCategory } from '@tallyhand/contracts/events';
import { describe, expect, it } from 'vitest';
import { ENTRY_FILES, LEFT_OUT } from './evidence-files.ts';

const events = Object.entries<Readonly<Record<string, { readonly type: string }>>>(
  eventsByCategory,
).flatMap(([category, kinds]) => Object.values(kinds).map(({ type }) => ({ category, type })));

/** The files of an event, or `left out`. Its type says more than its category. */
function placesOf({ category, type }: (typeof events)[number]): string[] {
  const byType = placesNaming(type);
  return byType.length > 0 ? byType : placesNaming(category);
}

function placesNaming(name: string): string[] {
  const lists: [string, readonly string[]][] = [
    ...Object.entries(ENTRY_FILES),
    ['left out', LEFT_OUT],
  ];
  return lists.flatMap(([place, kinds]) => kinds.filter((kind) => kind === name).map(() => place));
}

describe('the files of an evidence pack', () => {
  it.each(events)('have $type, or it is left out on purpose', (event) => {
    expect(placesOf(event)).toHaveLength(1);
  });

  it('name only events and objects that there are', () => {
    const known = new Set<string>(events.flatMap(({ category, type }) => [category, type]));
    const named = [...Object.values(ENTRY_FILES).flat(), ...LEFT_OUT];
    expect(named.filter((kind) => !known.has(kind))).toEqual([]);
  });
});
