import { z } from 'zod';
import type { EventsOf } from '../../kernel/messages.ts';
import { versionedEvents } from '../../kernel/versioned-object.ts';

/** On `playbook-{id}`. */
export const {
  created: PlaybookCreated,
  changed: PlaybookChanged,
  deleted: PlaybookDeleted,
  restored: PlaybookRestored,
} = versionedEvents('Playbook', {
  title: z.string(),
  description: z.string(),
  steps: z.array(z.string()),
  category: z.string(),
  tags: z.array(z.string()),
  /** Minutes. */
  estimatedDuration: z.int(),
});

/** Every event of the stream, by type. */
export const playbookEvents = {
  PlaybookCreated,
  PlaybookChanged,
  PlaybookDeleted,
  PlaybookRestored,
};
export type PlaybookEvent = EventsOf<typeof playbookEvents>;
