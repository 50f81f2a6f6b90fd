import { eventsByCategory } from '@tallyhand/contracts/events';
import { AUDIT_KINDS } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import words from '../../locales/en/audit.json' with { type: 'json' };

type Kind = { readonly schema: z.ZodObject };

/** Their fields have words in their history. */
const HISTORIES = ['agent', 'article', 'playbook', 'tool'];
/** What an entry says elsewhere, or not at all. */
const UNTOLD = ['organizationId', 'emailKey', 'previousEmailKey', 'contentKey'];

const fieldsOf = (kinds: Readonly<Record<string, Kind>>) =>
  Object.values(kinds).flatMap(({ schema }) => Object.keys(schema.shape));

describe('the words of the audit log', () => {
  it('are there for every type of event, and for no others', () => {
    const types = Object.values(eventsByCategory).flatMap(Object.keys);
    expect(Object.keys(words.log.events).toSorted()).toEqual(types.toSorted());
  });
  it('are there for every kind', () => {
    expect(Object.keys(words.log.kinds)).toEqual([...AUDIT_KINDS]);
  });
  it('are there for every field that an entry shows, and for no others', () => {
    const told = Object.entries<Readonly<Record<string, Kind>>>(eventsByCategory)
      .filter(([category]) => !HISTORIES.includes(category))
      .flatMap(([, kinds]) => fieldsOf(kinds))
      .filter((field) => !UNTOLD.includes(field));
    expect(Object.keys(words.log.fields).toSorted()).toEqual([...new Set(told)].toSorted());
  });
});
