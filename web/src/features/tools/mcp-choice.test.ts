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
const on = { enabled: true, alias: '' };
const off = { enabled: false, alias: '' };

describe('the tools of an MCP server that are on at first', () => {
  it('are those that only read, when the server is new', () => {
    const tools = [offered('find', { isRead: true }), offered('delete')];
    expect(choicesOf(tools, undefined)).toEqual({ find: on, delete: off });
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
    expect(choicesOf(tools, before)).toEqual({
      same: { enabled: true, alias: 'other' },
      off,
      changed: off,
      added: off,
    });
  });
});

describe('the change that is saved', () => {
  it('takes the present definitions, the names that were entered, and leaves out what is gone', () => {
    const config = { baseUrl: 'https://a.example/mcp', authType: 'none' as const, extras: {} };
    const tools = [offered('find'), offered('delete'), offered('gone', { state: 'gone' })];
    const choices = { find: { enabled: true, alias: ' find_order ' }, delete: off };
    expect(changeFor({ config }, tools, choices)).toEqual({
      config: {
        ...config,
        mcpTools: [
          { name: 'find', definition: '{"name":"find"}', enabled: true, alias: 'find_order' },
          { name: 'delete', definition: '{"name":"delete"}', enabled: false },
        ],
      },
    });
  });
});
