import { z } from 'zod';
import { Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';
import { versionedEvents } from '../../kernel/versioned-object.ts';
import { BOUND_PARTS } from './tool-binding.ts';
import { TOOL_POLICIES } from './tool-policy.ts';
import { DROP_REASONS } from './tools.fields.ts';

const unchanged = (data: Readonly<Record<string, unknown>>) => ({ ...data });
/**
 * Version 2 may have `config.allowedHosts`, version 3 `config.mcpTools`, version 4 `policies`, version 5
 * the kind of access `oauth`; older data is unchanged.
 */
const upcasts = [unchanged, unchanged, unchanged, unchanged];

const tool = versionedEvents(
  'Tool',
  {
    name: z.string(),
    description: z.string(),
    toolType: z.enum(['browser', 'api', 'custom', 'mcp']),
    config: z.object({
      baseUrl: z.string(),
      authType: z.enum(['none', 'apikey', 'bearer', 'basic', 'oauth']),
      extras: z.record(z.string(), z.string()),
      openapi: z.string().optional(),
      allowedHosts: z.array(z.string()).optional(),
      mcpTools: z
        .array(
          z.object({
            name: z.string(),
            definition: z.string(),
            enabled: z.boolean(),
            alias: z.string().optional(),
          }),
        )
        .optional(),
    }),
    /** Absent until they are set on a tool from before version 4: all calls are allowed. */
    policies: z
      .object({
        changes: z.enum(TOOL_POLICIES),
        operations: z.record(z.string(), z.enum(TOOL_POLICIES)),
      })
      .optional(),
    /**
     * The names of the credentials, and an id that is new each time they are set; the vault stores
     * the values.
     */
    credentials: z.object({ id: Id.nullable(), names: z.array(z.string()) }),
  },
  upcasts,
);
/** On `tool-{id}`. */
export const {
  created: ToolCreated,
  changed: ToolChanged,
  deleted: ToolDeleted,
  restored: ToolRestored,
} = tool;
/**
 * Credentials are forgotten: the tool no longer is what they were entered for, or its authorization
 * server no longer accepts them.
 */
export const ToolCredentialsDropped = event(
  'ToolCredentialsDropped',
  {
    ...tool.own,
    credentials: z.object({
      id: z.null(),
      names: z.array(z.string()),
      dropped: z.object({ reason: z.enum(DROP_REASONS), names: z.array(z.string()) }),
      /** Of those in `names`: after a refused sign-in, a client that was registered by hand. */
      keptId: Id.optional(),
    }),
    /** The parts that differ from when they were entered. */
    changed: z.array(z.enum(BOUND_PARTS)),
  },
  // Version 1 did not bind the path of the base URL; before version 3 none were kept.
  [(data) => data, (data) => data],
);

/** Every event of the stream, by type. */
export const toolEvents = {
  ToolCreated,
  ToolChanged,
  ToolCredentialsDropped,
  ToolDeleted,
  ToolRestored,
};
export type ToolEvent = EventsOf<typeof toolEvents>;
