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
  conversationId: 'conversation',
  createdBy: 'member',
  decidedBy: 'member',
  disconnectedBy: 'member',
  handedBackBy: 'member',
  invitationId: 'invitation',
  invitedBy: 'member',
  keyId: 'apikey',
  mailboxId: 'mailbox',
  memberId: 'member',
  pausedBy: 'member',
  paymentId: 'payment',
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
  ticketId: 'ticket',
  toolId: 'tool',
  tools: 'tool',
  userId: 'member',
  webhookId: 'webhook',
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
/** Whether a value is an id, which no reader wants to see whole. */
export const isBareId = (value: Value): value is string =>
  typeof value === 'string' && UUID.test(value);

/** The objects that a value names by their ids, or null if it is another kind of value. */
export function objectsIn(field: string, value: Value): ObjectRef[] | null {
  // What credits were spent on.
  if (field === 'work' && isRecord(value) && value.kind === 'task' && typeof value.id === 'string')
    return [{ kind: 'task', id: value.id }];
  // Whose spending is limited.
  if (field === 'scope' && isRecord(value)) {
    const { kind, id } = value;
    return typeof kind === 'string' && typeof id === 'string' ? [{ kind, id }] : null;
  }
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
