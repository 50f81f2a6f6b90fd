import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { AgentChange, AgentInput } from './features/agents/agents.fields.ts';
import { registerUser, signIn } from './features/identity/identity.endpoints.ts';
import { ArticleInput } from './features/knowledge/knowledge.fields.ts';
import { ExecuteInput, TASK_INPUT_MAX } from './features/tasks/tasks.endpoints.ts';
import { InviteInput } from './features/team/team.endpoints.ts';

const persona = {
  role: 'QA',
  personality: 'Patient...',
  expertise: ['Returns'],
};
const forms = {
  'sign in': { schema: signIn.body, good: { email: 'ada@example.com', password: '123456' } },
  register: {
    schema: registerUser.body,
    good: {
      email: 'ada@example.com',
      username: 'Al',
      password: '12345678',
      organizationName: 'HQ',
    },
  },
  agent: {
    schema: AgentInput,
    good: { name: 'AI', description: 'Answers ...', personaConfig: persona },
  },
  article: {
    schema: ArticleInput,
    good: { title: 'FAQ', content: '0123456789', category: 'QA' },
  },
  execute: { schema: ExecuteInput, good: { input: '?' } },
  invite: { schema: InviteInput, good: { email: 'ben@example.com' } },
} as const;
type Form = keyof typeof forms;

/** `good` with the value at the path exchanged; undefined leaves the field out. */
function withField(good: object, path: string, value: unknown): object {
  const [first = '', ...rest] = path.split('.');
  const inner = rest.length > 0 ? Reflect.get(good, first) : null;
  return { ...good, [first]: inner ? withField(inner, rest.join('.'), value) : value };
}

function messages(schema: z.ZodType | undefined, value: unknown): Record<string, string> {
  const result = schema?.safeParse(value);
  const issues = result?.error?.issues ?? [];
  return Object.fromEntries(issues.map(({ path, message }) => [path.join('.'), message]));
}

const EMAIL = 'Please enter a valid email address';
const NAME = 'Name must be at least 2 characters';
const DESCRIPTION = 'Description must be at least 10 characters';
const PERSONALITY = 'Personality description is required';
const EXPERTISE = 'At least one expertise area is required';
const ORGANIZATION = 'Organization name must be at least 2 characters';
const TITLE = 'Title must be at least 3 characters';
const CONTENT = 'Content must be at least 10 characters';
const INSTRUCTIONS = 'Please provide instructions for the agent';

// Each rule at its boundary: one character short, blanks that do not count, and nothing at all.
const rules: readonly [Form, string, unknown, string][] = [
  ['sign in', 'email', 'ada', EMAIL],
  ['sign in', 'email', undefined, EMAIL],
  ['sign in', 'password', '12345', 'Password must be at least 6 characters'],
  ['register', 'email', 'ada@example', EMAIL],
  ['register', 'email', `${'a'.repeat(250)}@example.com`, EMAIL],
  ['register', 'email', ['ada@example.com'], EMAIL],
  ['register', 'username', 'A', 'Username must be at least 2 characters'],
  ['register', 'username', ' A ', 'Username must be at least 2 characters'],
  ['register', 'username', null, 'Username must be at least 2 characters'],
  ['register', 'username', 'x'.repeat(101), 'Username must be at most 100 characters'],
  ['register', 'password', '1234567', 'Password must be at least 8 characters'],
  ['register', 'password', 12345678, 'Password must be at least 8 characters'],
  ['register', 'password', 'x'.repeat(1025), 'Password must be at most 1024 characters'],
  ['register', 'organizationName', 'H', ORGANIZATION],
  ['register', 'organizationName', ' H ', ORGANIZATION],
  ['register', 'organizationName', undefined, ORGANIZATION],
  ['agent', 'name', 'A', NAME],
  ['agent', 'name', '  A  ', NAME],
  ['agent', 'name', undefined, NAME],
  ['agent', 'name', 'x'.repeat(201), 'Name must be at most 200 characters'],
  ['agent', 'description', '123456789', DESCRIPTION],
  ['agent', 'description', 1234567890, DESCRIPTION],
  ['agent', 'personaConfig.role', 'Q', 'Role is required'],
  ['agent', 'personaConfig.role', undefined, 'Role is required'],
  ['agent', 'personaConfig.personality', '123456789', PERSONALITY],
  ['agent', 'personaConfig.expertise', [], EXPERTISE],
  ['agent', 'personaConfig.expertise', [' ', ''], EXPERTISE],
  ['agent', 'personaConfig.expertise', undefined, EXPERTISE],
  [
    'agent',
    'personaConfig.communicationStyle',
    'rude',
    'Communication style must be one of formal, casual, friendly, professional',
  ],
  [
    'agent',
    'personaConfig.responseFormat',
    'rhymed',
    'Response format must be one of detailed, concise, structured, conversational',
  ],
  ['agent', 'isActive', 'yes', 'Must be true or false'],
  ['article', 'title', 'FA', TITLE],
  ['article', 'title', ' FA ', TITLE],
  ['article', 'title', 'x'.repeat(201), 'Title must be at most 200 characters'],
  ['article', 'content', '012345678', CONTENT],
  ['article', 'content', undefined, CONTENT],
  ['article', 'content', 'x'.repeat(400_001), 'Content must be at most 400000 characters'],
  ['article', 'category', 'Q', 'Category is required'],
  ['article', 'category', undefined, 'Category is required'],
  ['article', 'tags', 'returns', 'Tags must be a list of texts'],
  ['article', 'isPublic', 1, 'Must be true or false'],
  ['execute', 'input', '   ', INSTRUCTIONS],
  ['execute', 'input', undefined, INSTRUCTIONS],
  [
    'execute',
    'input',
    'x'.repeat(TASK_INPUT_MAX + 1),
    'Instructions must be at most 32000 characters',
  ],
  ['execute', 'type', 'dance', 'Type must be one of query, tool_run, playbook'],
  ['invite', 'email', 'ben', EMAIL],
  ['invite', 'message', 'x'.repeat(1001), 'Message must be at most 1000 characters'],
];

describe('the rules of a form', () => {
  it.each(Object.entries(forms))('accept a value at the limit: %s', (_, { schema, good }) => {
    expect(messages(schema, good)).toEqual({});
  });

  it.each(rules)('name the fault: %s, %s: %j', (form, path, value, message) => {
    const { schema, good } = forms[form];
    expect(messages(schema, withField(good, path, value))).toEqual({ [path]: message });
  });

  it.each(Object.entries(forms))('refuse an unknown field: %s', (_, { schema, good }) => {
    const result = schema?.safeParse({ ...good, isAdmin: true });
    expect(result?.error?.issues).toMatchObject([{ code: 'unrecognized_keys', keys: ['isAdmin'] }]);
  });
});

describe('a form', () => {
  it('fills in defaults', () => {
    expect(AgentInput.parse(forms.agent.good)).toMatchObject({
      isActive: true,
      personaConfig: { communicationStyle: 'professional', responseFormat: 'detailed' },
    });
    expect(ArticleInput.parse(forms.article.good)).toMatchObject({ tags: [], isPublic: false });
    expect(InviteInput.parse(forms.invite.good)).toMatchObject({ role: 'Viewer' });
    expect(ExecuteInput.parse(forms.execute.good)).toMatchObject({ type: 'query' });
  });

  it('trims texts, and removes repeated tags and expertise', () => {
    const article = { ...forms.article.good, title: ' FAQ ', tags: [' a', 'a ', '', 'b'] };
    expect(ArticleInput.parse(article)).toMatchObject({ title: 'FAQ', tags: ['a', 'b'] });
    const expertise = ['Returns', ' Returns ', 'Delivery'];
    const agent = { ...forms.agent.good, personaConfig: { ...persona, expertise } };
    expect(AgentInput.parse(agent).personaConfig.expertise).toEqual(['Returns', 'Delivery']);
  });

  it('leaves a password as it was typed', () => {
    const parsed = signIn.body?.parse({ email: ' ada@example.com ', password: '  12345 ' });
    expect(parsed).toEqual({ email: 'ada@example.com', password: '  12345 ' });
  });

  it('of a registration needs no organization when an invitation names it', () => {
    const { organizationName: _, ...rest } = forms.register.good;
    expect(messages(registerUser.body, { ...rest, invite: 'token' })).toEqual({});
  });

  it('of a change requires at least one field, whichever it is', () => {
    expect(AgentChange.parse({ isActive: false })).toEqual({ isActive: false });
    expect(messages(AgentChange, {})).toEqual({ '': 'Send at least one field to change' });
    expect(messages(AgentChange, { name: 'A' })).toEqual({ name: NAME });
  });
});
