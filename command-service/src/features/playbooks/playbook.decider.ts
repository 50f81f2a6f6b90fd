import {
  PlaybookChanged,
  PlaybookCreated,
  PlaybookDeleted,
  type PlaybookEvent,
  PlaybookRestored,
  playbookEvents,
} from '@tallyhand/contracts/features/playbooks/playbooks.events';
import type { PlaybookInput } from '@tallyhand/contracts/features/playbooks/playbooks.fields';
import { versionedDecider, versionedStream } from '../../kit/versioned-object.decider.ts';

const playbookDecider = versionedDecider<PlaybookInput, PlaybookEvent>('playbook', {
  created: PlaybookCreated,
  changed: PlaybookChanged,
  deleted: PlaybookDeleted,
  restored: PlaybookRestored,
});

export const playbookStream = versionedStream('playbook', playbookDecider, playbookEvents);
