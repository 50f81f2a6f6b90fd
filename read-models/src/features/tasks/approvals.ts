import { AGENT_MANAGERS } from '@tallyhand/contracts/kernel/access';
import { person } from '../../kernel/charges.ts';
import { keysetPage, mergedPage, readPage, shortened } from '../../kernel/read.ts';

const KEY = { at: 'approval_at', id: 'approval_id' };
const IS_WAITING = 'approval_id is not null';
/** The roles that decide. */
const DECIDING = AGENT_MANAGERS.roles.map((role) => `'${role}'`).join(', ');

/** What waits in one table, oldest first. `call`: JSON of what is asked. */
type Asking = {
  readonly table: string;
  readonly as: string;
  readonly call: string;
  /** The column of the id, and which of the view's ids it is. */
  readonly id: string;
  readonly kind: 'taskId' | 'conversationId' | 'sessionId';
  readonly input: string;
  readonly requestedBy: string;
  /** Older ones no longer wait. */
  readonly since?: string;
  /** For whom it waits; by default for all members. */
  readonly isFor?: string;
};

const ASKING: readonly Asking[] = [
  {
    table: 'read_model.tasks',
    as: 't',
    call: 't.approvals->-1',
    id: 't.task_id',
    kind: 'taskId',
    input: 't.input',
    requestedBy: 't.requested_by',
  },
  {
    table: 'read_model.conversations',
    as: 'c',
    call: 'c.approvals->-1',
    id: 'c.conversation_id',
    kind: 'conversationId',
    input: `(select m.content from read_model.conversation_messages m
      where m.message_id = c.approval_for)`,
    requestedBy: 'c.started_by',
    // The member's own words are for the member and for those who decide.
    isFor: `(c.started_by = me.user_id or me.role in (${DECIDING}))`,
    // Nothing happens to a conversation when its reply has waited too long.
    since: `now() - interval '24 hours'`,
  },
  {
    table: 'read_model.sessions',
    as: 's',
    call: 's.approvals->-1',
    id: 's.session_id',
    kind: 'sessionId',
    input: 's.goal',
    requestedBy: 's.requested_by',
  },
];

const KINDS = ['taskId', 'conversationId', 'sessionId'] as const;

const condition = ({ as, isFor = 'true' }: Asking) => `${as}.${IS_WAITING} and ${isFor}`;

const source = (asking: Asking) => {
  const { table, as, since } = asking;
  const { call, id, kind, input, requestedBy } = asking;
  const page = { table, as, ...KEY, where: condition(asking), ...(since ? { since } : {}) };
  return `(select ${as}.organization_id, ${as}.approval_at, ${as}.approval_id, ${as}.agent_id,
      ${call} as call, ${id} as id, '${kind}' as kind,
      ${shortened(input)} as input, ${requestedBy} as requested_by
    from (${keysetPage(page, 'oldest')}) ${as})`;
};

const MERGED = { as: 'w', ...KEY };

/** The calls that wait for a decision, the longest waiting first. */
export const readApprovals = readPage(
  'approvals',
  {
    ...MERGED,
    source: mergedPage(`(${ASKING.map(source).join(' union all ')}) w`, MERGED, 'oldest'),
    joins: 'left join read_model.agents a on a.agent_id = w.agent_id and a.deleted_at is null',
    select: `w.approval_id as id, w.approval_at as "createdAt", w.call->>'toolId' as "toolId",
      w.call->>'toolName' as "toolName", w.call->>'operation' as operation,
      w.call->>'arguments' as arguments, (w.call->>'step')::int as step,
      w.call->>'expiresAt' as "expiresAt",
      ${KINDS.map((kind) => `case when w.kind = '${kind}' then w.id end as "${kind}"`).join(', ')},
      w.agent_id as "agentId", a.name as "agentName",
      w.input, ${person('w.requested_by')} as "requestedBy"`,
  },
  {},
  'oldest',
);

const COUNTED_MAX = 100;

/** How many calls wait, as far as they are counted. */
export const WAITING_CALLS = `(select count(*)::int from (${ASKING.map(
  (asking) => `select 1 from ${asking.table} ${asking.as}
    where ${asking.as}.organization_id = me.organization_id and ${condition(asking)}
      and ${asking.as}.approval_at >= ${asking.since ?? `'-infinity'`}`,
).join(' union all ')} limit ${COUNTED_MAX}) counted)`;
