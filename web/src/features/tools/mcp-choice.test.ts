import type { OfferedMcpTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { describe, expect, it } from 'vitest';
import { changeFor, choicesOf } from './mcp-choice.ts';

const offered = (name: string, rest: Partial<OfferedMcpTool> = {}): OfferedMcpTool => ({
  name,
  title: name,
  description: '',
  definition: `{"name":"${name}"}`,
  isRead: false,
  state: 'new',
  ...rest,
});
const kept = (name: string, enabled: boolean) => ({ name, definition: '{}', enabled });
const on = { enabled: true, alias: '', policy: '' as const };
const off = { ...on, enabled: false };
const config = { baseUrl: 'https://a.example/mcp', authType: 'none' as const, extras: {} };
const server = { config, policies: null };

describe('the tools of an MCP server that are on at first', () => {
  it('are those that only read, when the server is new', () => {
    const tools = [offered('find', { isRead: true }), offered('delete')];
    expect(choicesOf(tools, server)).toEqual({ find: on, delete: off });
  });

  it('are those that were on and are still described in the same words', () => {
    const tools = [
      offered('same', { state: 'same' }),
      offered('off', { state: 'same' }),
      offered('changed', { state: 'changed', isRead: true }),
      offered('added', { isRead: true }),
      offered('gone', { state: 'gone' }),
    ];
    const before = [
      { ...kept('same', true), alias: 'other' },
      kept('off', false),
      kept('changed', true),
      kept('gone', true),
    ];
    expect(choicesOf(tools, { ...server, config: { ...config, mcpTools: before } })).toEqual({
      same: { ...on, alias: 'other' },
      off,
      changed: off,
      added: off,
    });
  });
});

describe('the change that is saved', () => {
  it('takes the present definitions, the names that were entered, and leaves out what is gone', () => {
    const tools = [offered('find'), offered('delete'), offered('gone', { state: 'gone' })];
    const choices = { find: { ...on, alias: ' find_order ' }, delete: off };
    expect(changeFor(server, tools, choices, true)).toEqual({
      config: {
        ...config,
        mcpTools: [
          { name: 'find', definition: '{"name":"find"}', enabled: true, alias: 'find_order' },
          { name: 'delete', definition: '{"name":"delete"}', enabled: false },
        ],
      },
    });
  });

  it('leaves changed tools as they were reviewed, for members who may not review them', () => {
    const mcpTools = [kept('changed', true), kept('gone', true)];
    const tools = [offered('changed', { state: 'changed' }), offered('find', { state: 'new' })];
    const present = { config: { ...config, mcpTools }, policies: null };
    const choices = { changed: off, find: on };
    expect(changeFor(present, tools, choices, false).config?.mcpTools).toEqual([
      kept('changed', true),
      { name: 'find', definition: '{"name":"find"}', enabled: true },
    ]);
  });

  it('has the policies that were chosen, and those of other tools', () => {
    const tools = [offered('find'), offered('delete')];
    const policies = { changes: 'ask', operations: { find: 'never', other: 'never' } } as const;
    const present = { config, policies };
    const choices = choicesOf(tools, present);
    expect(choices).toMatchObject({ find: { policy: 'never' }, delete: { policy: '' } });
    expect(changeFor(present, tools, choices, true)).not.toHaveProperty('policies');
    const changed = {
      find: { ...on, policy: '' as const },
      delete: { ...on, policy: 'ask' as const },
    };
    expect(changeFor(present, tools, changed, true).policies).toEqual({
      changes: 'ask',
      operations: { delete: 'ask', other: 'never' },
    });
  });
});
