import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { registerUser, signIn } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { createArticle } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { startSession } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { issueInvitation } from '@tallyhand/contracts/features/team/team.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import {
  type ApiClient,
  agentInput,
  agentWithArticle,
  apiClient,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  address,
  emailRule,
  type Form,
  mailboxForms,
  supportForms,
  text,
} from '../testing/form-rules.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

let product: TestProduct;
let client: ApiClient;
let agentId = '';

beforeAll(async () => {
  product = await sharedProduct();
  ({ client } = await registerOrganization(product.url));
  agentId = (await agentWithArticle(client)).agent.id;
});

const persona = (change: object) => ({
  personaConfig: { ...agentInput.personaConfig, ...change },
});

/** The rules and messages of the specification, section 5, each at its boundary. */
const forms: Record<string, Form> = {
  login: {
    endpoint: signIn,
    // No such accounts exist: past the rules, the password is wrong.
    statuses: [401],
    base: () => ({ email: address(), password: 'long enough' }),
    rules: [
      emailRule,
      {
        path: 'password',
        message: 'Password must be at least 6 characters',
        right: [{ password: text(6) }],
        wrong: [{ password: text(5) }, { password: '' }, { password: undefined }],
      },
    ],
  },
  registration: {
    endpoint: registerUser,
    statuses: [201],
    base: () => ({
      email: address(),
      username: 'Ada Lovelace',
      password: 'long enough',
      organizationName: 'Organization',
    }),
    rules: [
      emailRule,
      {
        path: 'username',
        message: 'Username must be at least 2 characters',
        right: [{ username: 'xy' }],
        wrong: [{ username: 'x' }, { username: ' x ' }, { username: undefined }],
      },
      {
        path: 'password',
        message: 'Password must be at least 8 characters',
        right: [{ password: text(8) }, { password: text(64) }],
        wrong: [{ password: text(7) }, { password: undefined }],
      },
      {
        path: 'organizationName',
        message: 'Organization name must be at least 2 characters',
        right: [{ organizationName: 'xy' }],
        wrong: [
          { organizationName: 'x' },
          { organizationName: '  ' },
          { organizationName: undefined },
        ],
      },
      {
        path: 'confirmPassword',
        message: 'There is no such field',
        right: [],
        wrong: [{ confirmPassword: 'long enough' }],
      },
    ],
  },
  agent: {
    endpoint: createAgent,
    statuses: [201],
    base: () => agentInput,
    rules: [
      {
        path: 'name',
        message: 'Name must be at least 2 characters',
        right: [{ name: 'xy' }],
        wrong: [{ name: 'x' }, { name: ' x ' }, { name: undefined }],
      },
      {
        path: 'description',
        message: 'Description must be at least 10 characters',
        right: [{ description: text(10) }],
        wrong: [{ description: text(9) }, { description: `${text(9)}  ` }],
      },
      {
        path: 'personaConfig.role',
        message: 'Role is required',
        right: [persona({ role: 'xy' })],
        wrong: [persona({ role: 'x' }), persona({ role: undefined })],
      },
      {
        path: 'personaConfig.personality',
        message: 'Personality description is required',
        right: [persona({ personality: text(10) })],
        wrong: [persona({ personality: text(9) }), persona({ personality: undefined })],
      },
      {
        path: 'personaConfig.expertise',
        message: 'At least one expertise area is required',
        right: [persona({ expertise: [' Sales ', 'Sales'] })],
        wrong: [[], [' '], undefined].map((expertise) => persona({ expertise })),
      },
      {
        path: 'personaConfig.communicationStyle',
        message: 'Communication style must be one of formal, casual, friendly, professional',
        right: ['formal', 'casual', 'friendly', 'professional', undefined].map(
          (communicationStyle) => persona({ communicationStyle }),
        ),
        wrong: [persona({ communicationStyle: 'Formal' })],
      },
      {
        path: 'personaConfig.responseFormat',
        message: 'Response format must be one of detailed, concise, structured, conversational',
        right: ['detailed', 'concise', 'structured', 'conversational', undefined].map(
          (responseFormat) => persona({ responseFormat }),
        ),
        wrong: [persona({ responseFormat: '' })],
      },
    ],
  },
  article: {
    endpoint: createArticle,
    statuses: [201],
    base: () => ({ title: 'Title', content: 'Ten characters', category: 'General' }),
    rules: [
      {
        path: 'title',
        message: 'Title must be at least 3 characters',
        right: [{ title: 'xyz' }],
        wrong: [{ title: 'xy' }, { title: ' xy ' }],
      },
      {
        path: 'content',
        message: 'Content must be at least 10 characters',
        right: [{ content: text(10) }, { content: text(400_000) }],
        wrong: [{ content: text(9) }, { content: undefined }],
      },
      {
        path: 'content',
        message: 'Content must be at most 400000 characters',
        right: [],
        wrong: [{ content: text(400_001) }],
      },
      {
        path: 'category',
        message: 'Category is required',
        right: [{ category: 'HR' }],
        wrong: [{ category: 'x' }, { category: undefined }],
      },
    ],
  },
  execute: {
    endpoint: executeTask,
    statuses: [200],
    base: () => ({ input: 'Hello' }),
    rules: [
      {
        path: 'input',
        message: 'Please provide instructions for the agent',
        right: [{ input: 'x' }, { input: text(32_000) }],
        wrong: [{ input: '' }, { input: ' \n\t ' }, { input: undefined }],
      },
      {
        path: 'input',
        message: 'Instructions must be at most 32000 characters',
        right: [],
        wrong: [{ input: text(32_001) }],
      },
      {
        path: 'type',
        message: 'Type must be one of query, tool_run, playbook',
        right: [{ type: 'query' }],
        wrong: [{ type: 'dance' }, { type: '' }],
      },
    ],
  },
  session: {
    endpoint: startSession,
    statuses: [201],
    base: () => ({ goal: 'Compare the plans' }),
    rules: [
      {
        path: 'goal',
        message: 'Please provide a goal',
        right: [{ goal: 'x' }, { goal: text(4_000) }],
        wrong: [{ goal: '' }, { goal: ' \n\t ' }, { goal: undefined }],
      },
      {
        path: 'goal',
        message: 'Goal must be at most 4000 characters',
        right: [],
        wrong: [{ goal: text(4_001) }],
      },
      {
        path: 'context',
        message: 'Context must be at most 16000 characters',
        right: [{ context: text(16_000) }, { context: '' }],
        wrong: [{ context: text(16_001) }],
      },
      {
        path: 'maxSteps',
        message: 'Steps must be at least 1',
        right: [{ maxSteps: 1 }],
        wrong: [{ maxSteps: 0 }],
      },
      {
        path: 'maxSteps',
        message: 'Steps must be at most 50',
        right: [{ maxSteps: 50 }],
        wrong: [{ maxSteps: 51 }],
      },
    ],
  },
  invite: {
    endpoint: issueInvitation,
    statuses: [201],
    base: () => ({ email: address() }),
    rules: [
      emailRule,
      {
        path: 'role',
        message: 'Role must be one of Admin, Editor, AgentManager, Viewer, Auditor',
        right: ['Admin', 'Editor', 'AgentManager', 'Viewer', 'Auditor', undefined].map((role) => ({
          role,
        })),
        wrong: [{ role: 'admin' }, { role: '' }, { role: 'Owner' }],
      },
      {
        path: 'message',
        message: 'Message must be at most 1000 characters',
        right: [{ message: '' }, { message: text(1000) }],
        wrong: [{ message: text(1001) }],
      },
    ],
  },
  ...supportForms,
  ...mailboxForms,
};

const cases = Object.entries(forms).flatMap(([name, form]) =>
  form.rules.map((rule) => ({ name, form, rule, path: rule.path, message: rule.message })),
);

describe.each(cases)('$name: $path', ({ form, rule }) => {
  const { endpoint, statuses, base } = form;
  // Each from a new visitor: a registration signs its caller in.
  const send = (change: object) => {
    const own = endpoint.feature === 'identity' ? apiClient(product.url) : client;
    const options = { params: { id: agentId }, body: { ...base(), ...change } };
    return own.call<Problem>(endpoint, options);
  };

  it(`accepts a value just within the rule${rule.right.length ? '' : ', as any other'}`, async () => {
    for (const change of [{}, ...rule.right]) {
      expect(statuses).toContain((await send(change)).status);
    }
  });

  it(`answers "${rule.message}" just beyond the rule`, async () => {
    for (const change of rule.wrong) {
      const { status, body } = await send(change);
      expect([status, body.errors]).toEqual([422, [{ path: rule.path, message: rule.message }]]);
    }
  });
});

describe('the stored value', () => {
  it('is trimmed and without repeats', async () => {
    const body = {
      title: '  Title ',
      content: ' Ten characters ',
      category: ' General ',
      tags: [' a ', 'a', '', 'b'],
    };
    const { body: article } = await client.call(createArticle, { body });
    expect(article).toMatchObject({
      title: 'Title',
      content: 'Ten characters',
      category: 'General',
      tags: ['a', 'b'],
      isPublic: false,
      version: 1,
    });
    const expertise = [' Sales ', 'Sales', 'Legal'];
    const { body: agent } = await client.call(createAgent, {
      body: { ...agentInput, ...persona({ expertise }) },
    });
    expect(agent).toMatchObject({ personaConfig: { expertise: ['Sales', 'Legal'] } });
  });
});
