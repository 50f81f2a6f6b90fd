import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

/** The folder of the project. */
export const root = new URL('../../../', import.meta.url);
export const readFile = (path: string) => readFileSync(new URL(path, root), 'utf8');

const Secret = z.union([
  z.string().transform((name) => ({ source: name, target: name })),
  z.object({ source: z.string(), target: z.string() }),
]);
const Networks = z.union([
  z.array(z.string()),
  z.record(z.string(), z.unknown()).transform((networks) => Object.keys(networks)),
]);

const Container = z.object({
  image: z.string(),
  build: z.object({ context: z.string(), dockerfile: z.string() }).optional(),
  command: z.array(z.string()).default([]),
  profiles: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  secrets: z.array(Secret).default([]),
  networks: Networks,
  ports: z.array(z.string()).default([]),
  restart: z.string(),
  user: z.string(),
  read_only: z.boolean(),
  tmpfs: z.array(z.string()),
  cap_drop: z.array(z.string()),
  cap_add: z.array(z.string()).default([]),
  security_opt: z.array(z.string()),
  privileged: z.boolean().default(false),
  mem_limit: z.string(),
  stop_grace_period: z.string().optional(),
  cpus: z.number(),
  pids_limit: z.number(),
  healthcheck: z.object({ test: z.array(z.string()).optional(), disable: z.boolean().optional() }),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
});
export type Container = z.infer<typeof Container>;

const ComposeFile = z.object({
  services: z.record(z.string(), Container),
  networks: z.record(z.string(), z.object({ internal: z.boolean().default(false) })),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});

/** docker-compose.yml without any setting of an operator, merged and checked. */
export function composeFile(): z.infer<typeof ComposeFile> {
  const filledIn = (_: unknown, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1') : value;
  return ComposeFile.parse(parse(readFile('docker-compose.yml'), filledIn, { merge: true }));
}
