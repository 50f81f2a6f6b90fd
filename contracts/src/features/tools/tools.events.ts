import { z } from 'zod';
import { Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';
import { BOUND_PARTS } from './tool-binding.ts';
import { DROP_REASONS } from './tools.fields.ts';

const tool = { toolId: Id, organizationId: Id };
const fields = {
  name: z.string(),
  description: z.string(),
  toolType: z.enum(['browser', 'api', 'custom']),
  config: z.object({
    baseUrl: z.string(),
    authType: z.enum(['none', 'apikey', 'bearer', 'basic']),
    extras: z.record(z.string(), z.string()),
    openapi: z.string().optional(),
    allowedHosts: z.array(z.string()).optional(),
  }),
  /** Which credentials there are, and a new id each time they are set; the vault holds them. */
  credentials: z.object({ id: Id.nullable(), names: z.array(z.string()) }),
};

/** Version 2 may have `config.allowedHosts`; what is older reads as it is. */
const withAllowedHosts = [(data: Readonly<Record<string, unknown>>) => ({ ...data })];

/** On `tool-{id}`. `version` is 1 at creation. */
export const ToolCreated = event(
  'ToolCreated',
  { ...tool, version: z.int(), ...fields },
  withAllowedHosts,
);
/** Holds what changed only. `restoredFrom`: the version whose texts these are again. */
export const ToolChanged = event(
  'ToolChanged',
  {
    ...tool,
    version: z.int(),
    ...z.object(fields).partial().shape,
    restoredFrom: z.int().optional(),
  },
  withAllowedHosts,
);
/** The credentials are forgotten: the tool no longer is what they were entered for. */
export const ToolCredentialsDropped = event(
  'ToolCredentialsDropped',
  {
    ...tool,
    credentials: z.object({
      id: z.null(),
      names: z.array(z.string()),
      dropped: z.object({ reason: z.enum(DROP_REASONS), names: z.array(z.string()) }),
    }),
    /** What differs from when they were entered. */
    changed: z.array(z.enum(BOUND_PARTS)),
  },
  // The path of the base URL was not a part yet.
  [(data) => data],
);
export const ToolDeleted = event('ToolDeleted', tool);
export const ToolRestored = event('ToolRestored', tool);

/** Every event of the stream, by type. */
export const toolEvents = {
  ToolCreated,
  ToolChanged,
  ToolCredentialsDropped,
  ToolDeleted,
  ToolRestored,
};
export type ToolEvent = EventsOf<typeof toolEvents>;
