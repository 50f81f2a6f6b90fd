import { z } from 'zod';
import { AGENT_MANAGERS, MEMBERS } from '../../kernel/access.ts';
import { AsOf, AsOfQuery } from '../../kernel/as-of.ts';
import { NoSuchVersion, NotDeleted } from '../../kernel/change-refusals.ts';
import { HistoryEntry, RestoreInput } from '../../kernel/changes.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Page } from '../../kernel/lists.ts';
import { OrganizationQueueFull, ServerQueueFull } from '../../kernel/problem.ts';
import { AUTH_TYPES, DROP_REASONS, TOOL_TYPES, ToolChange, ToolInput } from './tools.fields.ts';

export const Tool = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  type: z.enum(TOOL_TYPES),
  config: z.object({
    baseUrl: z.string(),
    authType: z.enum(AUTH_TYPES),
    extras: z.record(z.string(), z.string()),
    openapi: z.string().optional(),
    allowedHosts: z.array(z.string()).optional(),
  }),
  /** The names of the stored credentials; values are never returned. */
  credentialNames: z.array(z.string()),
  /**
   * Set if the credentials were removed because the tool's binding changed. The tool refuses to run
   * until they are entered again; `names` lists those that it had.
   */
  credentialsRequired: z
    .object({ reason: z.enum(DROP_REASONS), names: z.array(z.string()) })
    .nullable(),
  version: z.int(),
  createdAt: Instant,
});
export type Tool = z.infer<typeof Tool>;

/** A tool's answer, secrets masked. */
export const ToolTestResult = z.object({
  success: z.boolean(),
  /** The tool's answer as text, truncated to 20,000 characters. */
  output: z.string().nullable(),
  error: z.string().nullable(),
  /** For `api` tools. */
  status: z.int().nullable(),
  executionTimeMs: z.int(),
});
export type ToolTestResult = z.infer<typeof ToolTestResult>;

const params = z.strictObject({ id: Id });
const feature = 'tools';

export const listTools = endpoint({
  name: 'listTools',
  method: 'GET',
  path: '/api/tools',
  access: MEMBERS,
  feature,
  summary: 'The tools of the organization, newest first',
  query: Page.extend({ asOf: AsOf }),
  status: 200,
  answer: z.array(Tool),
});
export const getTool = endpoint({
  name: 'getTool',
  method: 'GET',
  path: '/api/tools/{id}',
  access: MEMBERS,
  feature,
  summary: 'One tool',
  params,
  query: AsOfQuery,
  status: 200,
  answer: Tool,
});
export const createTool = endpoint({
  name: 'createTool',
  method: 'POST',
  path: '/api/tools',
  access: AGENT_MANAGERS,
  feature,
  summary: 'Add a tool; its credentials are kept encrypted and never shown again',
  body: ToolInput,
  example: {
    name: 'Orders',
    description: 'Looks orders up in the shop',
    type: 'api',
    config: { baseUrl: 'https://shop.example.com/api', authType: 'bearer' },
    authCredentials: { token: 'a-token-of-the-shop' },
  },
  status: 201,
  answer: Tool,
});
export const changeTool = endpoint({
  name: 'changeTool',
  method: 'PUT',
  path: '/api/tools/{id}',
  access: AGENT_MANAGERS,
  feature,
  summary:
    'Change a tool; its version grows by one. Changing where its credentials go (type, base URL, kind of access, place of the key, script, allowed hosts) removes them unless they are sent again: see credentialsRequired',
  params,
  body: ToolChange,
  example: { description: 'Looks up orders and returns in the shop' },
  status: 200,
  answer: Tool,
});
export const deleteTool = endpoint({
  name: 'deleteTool',
  method: 'DELETE',
  path: '/api/tools/{id}',
  access: AGENT_MANAGERS,
  feature,
  summary: 'Delete a tool; agents no longer use it',
  params,
  status: 204,
});
export const restoreTool = endpoint({
  name: 'restoreTool',
  method: 'POST',
  path: '/api/tools/{id}/restore',
  access: AGENT_MANAGERS,
  feature,
  summary:
    'Take the deletion of a tool back, or make an older version the newest. Credentials are removed where that version sends them elsewhere: see credentialsRequired',
  params,
  body: RestoreInput,
  example: { version: 1 },
  status: 200,
  answer: Tool,
  refusals: [NotDeleted, NoSuchVersion],
});
export const getToolHistory = endpoint({
  name: 'getToolHistory',
  method: 'GET',
  path: '/api/tools/{id}/history',
  access: MEMBERS,
  feature,
  summary: 'Who changed a tool, when, and what; newest first',
  params,
  query: Page,
  status: 200,
  answer: z.array(HistoryEntry),
});
export const testTool = endpoint({
  name: 'testTool',
  method: 'POST',
  path: '/api/tools/{id}/test',
  access: AGENT_MANAGERS,
  feature,
  summary: 'Run a tool and see its real answer; free of charge',
  params,
  body: z.strictObject({
    input: z
      .string({ error: 'Input must be a text' })
      .max(32_000, 'Input must be at most 32000 characters')
      .default(''),
  }),
  example: { input: 'GET /orders/7' },
  status: 200,
  answer: ToolTestResult,
  refusals: [OrganizationQueueFull, ServerQueueFull],
});
