import {
  PlaybookChanged,
  PlaybookCreated,
  PlaybookDeleted,
  type PlaybookEvent,
  PlaybookRestored,
} from '@tallyhand/contracts/features/playbooks/playbooks.events';
import type { PlaybookInput } from '@tallyhand/contracts/features/playbooks/playbooks.fields';
import { keptDecider } from '../../kit/kept-decider.ts';

export const playbookDecider = keptDecider<PlaybookInput, PlaybookEvent>({
  category: 'playbook',
  idName: 'playbookId',
  events: {
    created: PlaybookCreated,
    changed: PlaybookChanged,
    deleted: PlaybookDeleted,
    restored: PlaybookRestored,
  },
});
