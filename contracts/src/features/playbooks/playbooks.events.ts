import { z } from 'zod';
import { Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';

const playbook = { playbookId: Id, organizationId: Id };
const fields = {
  title: z.string(),
  description: z.string(),
  steps: z.array(z.string()),
  category: z.string(),
  tags: z.array(z.string()),
  /** Minutes. */
  estimatedDuration: z.int(),
};

/** On `playbook-{id}`. `version` is 1 at creation. */
export const PlaybookCreated = event('PlaybookCreated', {
  ...playbook,
  version: z.int(),
  ...fields,
});
/** Contains only changed fields. `restoredFrom`: the version whose texts were restored. */
export const PlaybookChanged = event('PlaybookChanged', {
  ...playbook,
  version: z.int(),
  ...z.object(fields).partial().shape,
  restoredFrom: z.int().optional(),
});
export const PlaybookDeleted = event('PlaybookDeleted', playbook);
export const PlaybookRestored = event('PlaybookRestored', playbook);

/** Every event of the stream, by type. */
export const playbookEvents = {
  PlaybookCreated,
  PlaybookChanged,
  PlaybookDeleted,
  PlaybookRestored,
};
export type PlaybookEvent = EventsOf<typeof playbookEvents>;
