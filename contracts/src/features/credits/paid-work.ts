/** What a reservation pays for. */
export const WORK_KINDS = ['task', 'step'] as const;
export type WorkKind = (typeof WORK_KINDS)[number];

/** The types of work in usage reports. */
export const WORK_TYPES = ['query', 'tool_run', 'playbook', 'step'] as const;
export type WorkType = (typeof WORK_TYPES)[number];

export const WORK_KIND_OF = {
  query: 'task',
  tool_run: 'task',
  playbook: 'task',
  step: 'step',
} as const satisfies Record<WorkType, WorkKind>;
