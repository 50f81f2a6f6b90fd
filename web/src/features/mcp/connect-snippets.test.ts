import { describe, expect, it } from 'vitest';
import guide from '../../../../docs/protocols.md?raw';
import { MCP_CLIENTS, snippetOf } from './connect-snippets.ts';

/** JSON may be on more or fewer lines. */
const words = (text: string) => text.replace(/\s+/g, '');

describe('the snippet of an MCP client', () => {
  it.each(MCP_CLIENTS)('is that of the guide: %s', (client) => {
    const { text } = snippetOf(client, 'https://tallyhand.example.com');
    expect(words(guide)).toContain(words(text));
  });
});
