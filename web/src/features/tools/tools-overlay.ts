import type { Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';

/** What is open over the list. */
export type ToolsOverlay = { kind: 'create' } | { kind: 'edit' | 'test' | 'delete'; tool: Tool };
