import type { AuditEntry } from '@tallyhand/contracts/features/audit/audit.endpoints';

export type Value = AuditEntry['changes'][number]['after'];
export type ObjectRef = { kind: string; id: string };

/** The fields of events that hold the id of another object, and its kind. */
const KINDS: Readonly<Record<string, string>> = {
  agentId: 'agent',
  approver: 'member',
  articleId: 'article',
  articles: 'article',
  cancelledBy: 'member',
  connectedBy: 'member',
  connectionId: 'connection',
  createdBy: 'member',
  disconnectedBy: 'member',
  handedBackBy: 'member',
  invitedBy: 'member',
  memberId: 'member',
  pausedBy: 'member',
  playbook: 'playbook',
  playbookId: 'playbook',
  playbooks: 'playbook',
  ratedBy: 'member',
  requestedBy: 'member',
  resumedBy: 'member',
  retryOf: 'task',
  sessionId: 'session',
  setBy: 'member',
  startedBy: 'member',
  takenBy: 'member',
  takenOverBy: 'member',
  taskId: 'task',
  terminatedBy: 'member',
  toolId: 'tool',
  tools: 'tool',
  userId: 'member',
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects that a value names by their ids, or null if it is another kind of value. */
export function objectsIn(field: string, value: Value): ObjectRef[] | null {
  // What credits were spent on.
  if (field === 'work' && isRecord(value) && value.kind === 'task' && typeof value.id === 'string')
    return [{ kind: 'task', id: value.id }];
  const kind = KINDS[field];
  if (!kind || value === null) return null;
  const ids = (Array.isArray(value) ? value : [value]).map((one: unknown) => {
    // Tasks keep which version they used: `{ toolId, version }`.
    const id = isRecord(one) ? one[`${kind}Id`] : one;
    return typeof id === 'string' && id !== '' ? id : undefined;
  });
  return ids.length > 0 && ids.every((id) => id !== undefined)
    ? ids.map((id) => ({ kind, id }))
    : null;
}
