import {
  ToolChanged,
  ToolCreated,
  ToolDeleted,
  type ToolEvent,
  ToolRestored,
} from '@tallyhand/contracts/features/tools/tools.events';
import type { ToolConfig, ToolInput } from '@tallyhand/contracts/features/tools/tools.fields';
import { keptDecider } from '../../kit/kept-decider.ts';

export type ToolFields = {
  readonly name: string;
  readonly description: string;
  readonly toolType: ToolInput['type'];
  readonly config: ToolConfig;
  readonly credentials: { readonly id: string | null; readonly names: string[] };
};

export const toolDecider = keptDecider<ToolFields, ToolEvent>({
  category: 'tool',
  idName: 'toolId',
  events: {
    created: ToolCreated,
    changed: ToolChanged,
    deleted: ToolDeleted,
    restored: ToolRestored,
  },
  // A credential that was replaced never comes back by itself.
  notRestored: ['credentials'],
});
