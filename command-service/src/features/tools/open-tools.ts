import type { Browsers } from './browser-tool.ts';
import type { McpServers } from './mcp-tool.ts';

/** What tools keep open for a piece of work, from its first call until it ends. */
export class OpenTools {
  readonly browsers: Browsers;
  readonly mcpServers: McpServers;

  constructor({ browsers, mcpServers }: Pick<OpenTools, 'browsers' | 'mcpServers'>) {
    this.browsers = browsers;
    this.mcpServers = mcpServers;
  }

  /** Ends the work's browser and its sessions with MCP servers, in the background. */
  close(workId: string): void {
    this.browsers.close(workId);
    this.mcpServers.close(workId);
  }
}
