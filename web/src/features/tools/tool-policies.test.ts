import type { ToolPolicies } from '@tallyhand/contracts/features/tools/tool-policy';
import { describe, expect, it } from 'vitest';
import {
  changesForType,
  changesOptions,
  operationOptions,
  policiesOf,
  policyValuesOf,
  withOperation,
} from './tool-policies.ts';

const ask: ToolPolicies = { changes: 'ask', operations: { refund: 'never', list: 'allow' } };
const looser = (options: ReturnType<typeof changesOptions>) =>
  options.filter(({ isLooser }) => isLooser).map(({ value }) => value);

describe('the policies in the form of a tool', () => {
  it('are those of the tool', () => {
    expect(policyValuesOf({ policies: ask })).toEqual({
      changes: 'ask',
      operations: [
        { name: 'list', value: 'allow' },
        { name: 'refund', value: 'never' },
      ],
    });
    expect(policiesOf(policyValuesOf({ policies: ask }))).toEqual(ask);
  });
  it('ask first for a new tool', () => {
    expect(policiesOf(policyValuesOf())).toEqual({ changes: 'ask', operations: {} });
  });
  it('are none until they are set, and then allow the rest', () => {
    const none = policyValuesOf({ policies: null });
    expect(policiesOf(none)).toBeNull();
    expect(policiesOf(withOperation(none, 'refund', 'never'))).toEqual({
      changes: 'allow',
      operations: { refund: 'never' },
    });
  });
  it('have no entry for an operation that follows the tool', () => {
    const values = withOperation(policyValuesOf({ policies: ask }), 'refund', '');
    expect(policiesOf(values)).toEqual({ changes: 'ask', operations: { list: 'allow' } });
  });
});

describe('the policy after another type was chosen', () => {
  it('is the default of the type', () => {
    expect(changesForType('ask', 'browser')).toBe('allow');
    expect(changesForType('allow', 'custom')).toBe('ask');
  });
  it('is that of the tool where the type is its own', () => {
    const tool = { type: 'api' as const, policies: { changes: 'allow' as const, operations: {} } };
    expect(changesForType('ask', 'api', tool)).toBe('allow');
    expect(changesForType('allow', 'mcp', tool)).toBe('ask');
  });
  it('stays never', () => {
    expect(changesForType('never', 'browser')).toBe('never');
  });
});

describe('the choices for calls that may change something', () => {
  it('are looser only towards what is stricter now', () => {
    expect(looser(changesOptions('api', ask))).toEqual(['allow']);
    expect(looser(changesOptions('api', { ...ask, changes: 'never' }))).toEqual(['allow', 'ask']);
    expect(looser(changesOptions('api', null))).toEqual([]);
  });
  it('do not ask first for a browser', () => {
    expect(changesOptions('browser', null).map(({ value }) => value)).toEqual(['allow', 'never']);
  });
});

describe('the choices for one operation', () => {
  it.each([
    ['an operation that asks first by default', 'create', ['allow']],
    ['one that is forbidden', 'refund', ['', 'allow', 'ask']],
    ['one that is allowed', 'list', []],
  ])('are looser for %s', (_, name, expected) => {
    expect(looser(operationOptions('api', ask, name))).toEqual(expected);
  });
  it('are never looser where all is allowed', () => {
    expect(looser(operationOptions('mcp', null, 'create'))).toEqual([]);
  });
});
