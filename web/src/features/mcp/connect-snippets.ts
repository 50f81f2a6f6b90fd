import { MCP_PATH } from '@tallyhand/contracts/features/mcp/mcp-paths';

/** Stands where the reader puts the API key. */
const KEY = 'th_…';
const NAME = 'tallyhand';

export const MCP_CLIENTS = ['claude', 'cursor', 'vscode', 'inspector'] as const;
export type McpClient = (typeof MCP_CLIENTS)[number];

export const mcpClientNames: Readonly<Record<McpClient, string>> = {
  claude: 'Claude Code',
  cursor: 'Cursor',
  vscode: 'VS Code',
  inspector: 'Inspector',
};

type Snippet = {
  /** The file that it is put into; null for a command. */
  readonly file: string | null;
  readonly text: string;
};

/** How a client connects to the server at this origin. */
export function snippetOf(client: McpClient, origin: string): Snippet {
  const url = origin + MCP_PATH;
  switch (client) {
    case 'claude':
      return {
        file: null,
        text: `claude mcp add --transport http ${NAME} ${url} \\\n  --header "Authorization: Bearer ${KEY}"`,
      };
    case 'cursor':
      return {
        file: '.cursor/mcp.json',
        text: asJson({
          mcpServers: { [NAME]: { url, headers: { Authorization: `Bearer ${KEY}` } } },
        }),
      };
    case 'vscode': {
      const id = `${NAME}-key`;
      return {
        file: '.vscode/mcp.json',
        text: asJson({
          inputs: [{ type: 'promptString', id, description: 'API key', password: true }],
          servers: {
            [NAME]: { type: 'http', url, headers: { Authorization: `Bearer ${filledIn(id)}` } },
          },
        }),
      };
    }
    case 'inspector':
      return {
        file: null,
        text: `npx @modelcontextprotocol/inspector --cli ${url} --transport http \\\n  --header "Authorization: Bearer ${KEY}" --method tools/list`,
      };
  }
}

/** VS Code asks for the input, and fills it in. */
const filledIn = (input: string) => `$\{input:${input}}`;

const asJson = (value: object) => JSON.stringify(value, null, 2);
