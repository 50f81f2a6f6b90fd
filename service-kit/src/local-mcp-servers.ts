import { LOCAL_SERVER_NAME } from '@tallyhand/contracts/kernel/local-mcp-server';
import { z } from 'zod';

const LocalMcpServer = z.strictObject({
  /** The program, from the PATH or with its folder. */
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  /** Its environment, besides PATH, HOME and the like. It gets none of the product's own settings. */
  env: z.record(z.string(), z.string()).default({}),
  /** The folder that it starts in; by default that of the product. */
  cwd: z.string().min(1).optional(),
  /** The ids of the organizations that may use it, or `*` for all. */
  organizations: z.union([z.literal('*'), z.array(z.uuid()).min(1)]),
});
export type LocalMcpServer = z.infer<typeof LocalMcpServer>;

export type LocalMcpServers = Readonly<Record<string, LocalMcpServer>>;

const LocalMcpServers = z.record(z.string().regex(LOCAL_SERVER_NAME), LocalMcpServer);

/** The servers by name, from JSON; null if the text is something else. */
export function localMcpServersOf(text: string): LocalMcpServers | null {
  if (text === '') return {};
  try {
    return LocalMcpServers.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** The names of the servers that an organization may use. */
export const localServersFor = (servers: LocalMcpServers, organizationId: string): string[] =>
  Object.entries(servers)
    .filter(
      ([, { organizations }]) => organizations === '*' || organizations.includes(organizationId),
    )
    .map(([name]) => name);
