import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { endpoints } from './endpoints.ts';
import { AgentInput } from './features/agents/agents.fields.ts';
import { startAuditExport } from './features/audit/audit-exports.endpoints.ts';
import { setLimit } from './features/credits/credits.endpoints.ts';
import { MailboxInput } from './features/mailboxes/mailboxes.fields.ts';
import { PlaybookInput } from './features/playbooks/playbooks.fields.ts';
import { ExecuteInput } from './features/tasks/tasks.endpoints.ts';
import { InviteInput } from './features/team/team.endpoints.ts';
import { ToolInput } from './features/tools/tools.fields.ts';

const server = { host: 'mail.example.com', username: 'ada', password: 'secret' };
const mailbox = { providerType: 'imap', emailAddress: 'ada@example.com', credentials: server };
const google = { clientId: 'a', clientSecret: 'b', refreshToken: 'c' };
const tool = { name: 'Prices', description: 'Looks prices up', type: 'api' };
const persona = {
  role: 'Support',
  personality: 'Patient and kind',
  expertise: ['Returns'],
  communicationStyle: 'friendly',
  responseFormat: 'concise',
};
const agent = { name: 'Support', description: 'Answers questions', personaConfig: persona };
const playbook = {
  title: 'Refund',
  description: 'When money goes back',
  category: 'Support',
  steps: ['Find the order of the customer', 'Check its date'],
};
const limit = { kind: 'agent', id: crypto.randomUUID(), monthlyCredits: 5 };

function withValue(good: object, path: string, value: unknown): object {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...good, [first]: value };
  return { ...good, [first]: withValue(Reflect.get(good, first) ?? {}, rest.join('.'), value) };
}

function pathsOf(schema: z.ZodType | undefined, value: unknown): string[] {
  const { error } = (schema ?? z.never()).safeParse(value);
  return (error?.issues ?? []).map(({ path }) => path.join('.'));
}

/** Fields that name a kind, or how to read a value. */
const fields = [
  { what: 'mailbox', schema: MailboxInput, good: mailbox, path: 'providerType', isRequired: true },
  { what: 'tool', schema: ToolInput, good: tool, path: 'type' },
  { what: 'tool', schema: ToolInput, good: tool, path: 'config.authType' },
  { what: 'task', schema: ExecuteInput, good: { input: '?' }, path: 'type' },
  { what: 'agent', schema: AgentInput, good: agent, path: 'personaConfig.communicationStyle' },
  { what: 'agent', schema: AgentInput, good: agent, path: 'personaConfig.responseFormat' },
  { what: 'limit', schema: setLimit.body, good: limit, path: 'kind', isRequired: true },
  { what: 'audit export', schema: startAuditExport.body, good: { format: 'csv' }, path: 'format' },
  { what: 'invitation', schema: InviteInput, good: { email: 'a@example.com' }, path: 'role' },
  { what: 'playbook', schema: PlaybookInput, good: playbook, path: 'steps.0' },
];

describe.each(fields)('$path of a $what', ({ schema, good, path, isRequired }) => {
  it('may be what the rest was written for', () => {
    expect(pathsOf(schema, good)).toEqual([]);
  });

  const wrong: unknown[] = [null, 7, {}, ...(path.startsWith('steps') ? [] : ['no such kind'])];
  it.each(wrong)('is the only field named when it is %j', (value) => {
    const bad =
      path === 'steps.0'
        ? { ...good, steps: [value, ...playbook.steps] }
        : withValue(good, path, value);
    expect(pathsOf(schema, bad)).toEqual([path]);
  });

  if (!isRequired) return;
  it('is the only field named when it is missing', () => {
    expect(pathsOf(schema, withValue(good, path, undefined))).toEqual([path]);
  });
});

describe('a mailbox', () => {
  it('without a provider is not taken for one of Gmail, whatever credentials it has', () => {
    const { providerType: _, ...bare } = mailbox;
    expect(pathsOf(MailboxInput, bare)).toEqual(['providerType']);
    expect(pathsOf(MailboxInput, { ...bare, credentials: google })).toEqual(['providerType']);
    expect(pathsOf(MailboxInput, {})).toEqual(['providerType']);
  });

  it('names the fields of credentials that belong to another provider', () => {
    const paths = pathsOf(MailboxInput, { ...mailbox, credentials: google });
    expect(paths).toContain('credentials.host');
    expect(paths.every((path) => path.startsWith('credentials'))).toBe(true);
  });
});

describe('a body that may be one of several kinds', () => {
  /** The schema and all that it is made of. */
  function* partsOf(schema: z.core.$ZodType): Generator<z.core.$ZodType> {
    yield schema;
    const {
      shape,
      options,
      innerType,
      element,
      valueType,
      in: from,
    } = schema._zod.def as unknown as Record<string, z.core.$ZodType | undefined> & {
      shape?: Record<string, z.core.$ZodType>;
      options?: z.core.$ZodType[];
    };
    const inner = [
      ...Object.values(shape ?? {}),
      ...(options ?? []),
      innerType,
      element,
      valueType,
      from,
    ];
    for (const part of inner) if (part?._zod) yield* partsOf(part);
  }

  it('never assumes a kind when none is given', () => {
    const unions = endpoints
      .flatMap(({ body }) => (body ? [...partsOf(body)] : []))
      .filter((part) => part instanceof z.ZodDiscriminatedUnion);
    expect(unions.length).toBeGreaterThan(0);
    for (const union of unions) {
      const { discriminator } = union.def;
      expect(pathsOf(union, {})).toEqual([discriminator]);
    }
  });
});
