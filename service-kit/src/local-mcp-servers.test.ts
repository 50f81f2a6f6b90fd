import { describe, expect, it } from 'vitest';
import { localMcpServersOf, localServersFor } from './local-mcp-servers.ts';

const [one, other] = [crypto.randomUUID(), crypto.randomUUID()];

describe('local MCP servers', () => {
  it('are read with what they leave out', () => {
    const text = JSON.stringify({ memory: { command: 'node', organizations: '*' } });
    expect(localMcpServersOf(text)).toEqual({
      memory: { command: 'node', args: [], env: {}, organizations: '*' },
    });
    expect(localMcpServersOf('')).toEqual({});
  });

  it.each([
    'memory',
    '[]',
    '{"memory": {}}',
    '{"memory": {"command": "node"}}',
    '{"memory": {"command": "", "organizations": "*"}}',
    '{"memory": {"command": "node", "organizations": []}}',
    '{"memory": {"command": "node", "organizations": "all"}}',
    '{"memory": {"command": "node", "organizations": "*", "shell": true}}',
    '{"a b": {"command": "node", "organizations": "*"}}',
  ])('are not read from %s', (text) => {
    expect(localMcpServersOf(text)).toBeNull();
  });

  it('are used by the organizations that are named', () => {
    const server = { command: 'node', args: [], env: {} };
    const servers = {
      all: { ...server, organizations: '*' as const },
      own: { ...server, organizations: [one] },
    };
    expect(localServersFor(servers, one)).toEqual(['all', 'own']);
    expect(localServersFor(servers, other)).toEqual(['all']);
  });
});
