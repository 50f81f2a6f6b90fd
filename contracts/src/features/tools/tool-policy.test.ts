import { describe, expect, it } from 'vitest';
import {
  isForAdmins,
  loosens,
  policyFor,
  ToolPolicies as Schema,
  type ToolPolicies,
} from './tool-policy.ts';

const ask: ToolPolicies = { changes: 'ask', operations: {} };
const call = (name: string, mayChange: boolean) => ({ name, mayChange });

describe('the policy of a call', () => {
  it.each<[string, ToolPolicies | null, ReturnType<typeof call>, string]>([
    ['allows what only reads', ask, call('list', false), 'allow'],
    ['asks before what may change something', ask, call('send', true), 'ask'],
    [
      'is that of the operation',
      { ...ask, operations: { send: 'never' } },
      call('send', true),
      'never',
    ],
    ['can ask before a read', { ...ask, operations: { list: 'ask' } }, call('list', false), 'ask'],
    ['allows all calls of a tool from before policies', null, call('send', true), 'allow'],
    ['is not that of a property that every object has', ask, call('toString', true), 'ask'],
  ])('%s', (_, policies, of, policy) => {
    expect(policyFor(policies, of)).toBe(policy);
  });
});

describe('a change of policies', () => {
  const allow: ToolPolicies = { changes: 'allow', operations: {} };
  const own = (
    operations: ToolPolicies['operations'],
    changes: ToolPolicies['changes'] = 'ask',
  ) => ({
    changes,
    operations,
  });
  it.each<[string, ToolPolicies, ToolPolicies]>([
    ['allows changes', ask, allow],
    ['asks instead of refusing', own({}, 'never'), ask],
    ['allows one operation', ask, own({ send: 'allow' })],
    [
      'asks for an operation where nothing is called',
      own({}, 'never'),
      own({ send: 'ask' }, 'never'),
    ],
    [
      'names an operation like a member of every object',
      ask,
      own(JSON.parse('{"valueOf": "allow"}')),
    ],
    ['drops what was refused', own({ send: 'never' }), ask],
    ['drops what was asked for', own({ list: 'ask' }, 'allow'), allow],
  ])('loosens them when it %s', (_, present, next) => {
    expect(loosens(present, next)).toBe(true);
  });
  it.each<[string, ToolPolicies, ToolPolicies]>([
    ['changes nothing', own({ send: 'allow' }), own({ send: 'allow' })],
    ['asks before changes', allow, ask],
    ['refuses an operation', own({ send: 'allow' }), own({ send: 'never' })],
    ['no longer allows an operation', own({ send: 'allow' }), ask],
    ['names what is allowed anyway', allow, own({ send: 'allow' }, 'allow')],
  ])('does not when it %s', (_, present, next) => {
    expect(loosens(present, next)).toBe(false);
  });
  it('names the field that is wrong', () => {
    const { error } = Schema.safeParse({ changes: 'sometimes' });
    expect(error?.issues[0]).toMatchObject({
      path: ['changes'],
      message: 'Must be one of allow, ask, never',
    });
  });
});

describe('a tool', () => {
  it.each<[boolean, 'api' | 'mcp' | 'browser', ToolPolicies | null]>([
    [true, 'api', { changes: 'allow', operations: {} }],
    [true, 'mcp', { changes: 'ask', operations: { send: 'never' } }],
    [false, 'api', ask],
    [false, 'browser', { changes: 'allow', operations: {} }],
    [false, 'api', null],
  ])('is changed by Admins only: %s for %s', (expected, type, policies) => {
    expect(isForAdmins(type, policies)).toBe(expected);
  });
});
