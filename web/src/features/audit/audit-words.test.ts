import { eventsByCategory } from '@tallyhand/contracts/events';
import { getAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { AUDIT_KINDS } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { getArticle } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { getConnection } from '@tallyhand/contracts/features/models/models.endpoints';
import { getPlaybook } from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { getTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import words from '../../locales/en/audit.json' with { type: 'json' };
import type { VersionedObject } from './audit.api.ts';
import { fieldsOf as fieldsOfObject } from './object-fields.ts';

type Kind = { readonly schema: z.ZodObject };

/** Their fields have words in their history. */
const HISTORIES = ['agent', 'article', 'playbook', 'tool', 'connection'];
/** What an entry says elsewhere, or not at all. */
const UNTOLD = ['organizationId', 'emailKey', 'previousEmailKey', 'contentKey'];

const fieldsOf = (kinds: Readonly<Record<string, Kind>>) =>
  Object.values(kinds).flatMap(({ schema }) => Object.keys(schema.shape));

/** The codes that a schema of values allows. */
function codesOf(schema: unknown): string[] {
  if (schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral) {
    const values = schema instanceof z.ZodEnum ? schema.options : [...schema.values];
    return values.map(String);
  }
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    return codesOf(schema.unwrap());
  }
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(codesOf);
  return schema instanceof z.ZodObject ? Object.values(schema.shape).flatMap(codesOf) : [];
}

describe('the words of the audit log', () => {
  it('are there for every type of event, and for no others', () => {
    const types = Object.values(eventsByCategory).flatMap(Object.keys);
    expect(Object.keys(words.log.events).toSorted()).toEqual(types.toSorted());
  });
  it('are there for every kind', () => {
    expect(Object.keys(words.log.kinds)).toEqual([...AUDIT_KINDS]);
  });
  it('are there for every code that an entry shows', () => {
    const shown = Object.entries<Readonly<Record<string, Kind>>>(eventsByCategory)
      .filter(([category]) => !HISTORIES.includes(category))
      .flatMap(([, kinds]) => Object.values(kinds))
      .flatMap(({ schema }) => codesOf(schema));
    expect([...new Set(shown)].filter((code) => !(code in words.log.values))).toEqual([]);
  });
  it('are there for every field of an object with a history', () => {
    const fields = [getAgent, getArticle, getPlaybook, getTool, getConnection]
      .flatMap(({ answerExample }) => fieldsOfObject(answerExample as VersionedObject))
      .map(([field]) => field.replace('.', '_'));
    expect(fields.filter((field) => !(field in words.fields))).toEqual([]);
  });
  it('are there for every field that an entry shows, and for no others', () => {
    const told = Object.entries<Readonly<Record<string, Kind>>>(eventsByCategory)
      .filter(([category]) => !HISTORIES.includes(category))
      .flatMap(([, kinds]) => fieldsOf(kinds))
      .filter((field) => !UNTOLD.includes(field));
    expect(Object.keys(words.log.fields).toSorted()).toEqual([...new Set(told)].toSorted());
  });
});
