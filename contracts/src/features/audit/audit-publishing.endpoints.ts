import { z } from 'zod';
import { ADMINS, AUDIT_READERS } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';

const feature = 'audit';

/** How often a checkpoint leaves the server. Hours, days and weeks (from Monday) are UTC. */
export const CheckpointPeriod = z.enum(
  ['hour', 'day', 'week'],
  'every must be hour, day, week or null',
);
export type CheckpointPeriod = z.infer<typeof CheckpointPeriod>;

export const CHECKPOINT_RECIPIENTS_MAX = 20;

/** How checkpoints of the audit log leave the server. */
export const AuditPublishing = z.object({
  /** Null: not published. */
  every: CheckpointPeriod.nullable(),
  /** Members who get each checkpoint by email. */
  mailTo: z.array(Id),
  /** The newest published checkpoint; null before the first. */
  last: z.object({ at: Instant, size: z.int() }).nullable(),
});
export type AuditPublishing = z.infer<typeof AuditPublishing>;

/** The part of it that an Admin chooses. */
export const AuditPublishingChoice = AuditPublishing.omit({ last: true });

export const getAuditPublishing = endpoint({
  name: 'getAuditPublishing',
  method: 'GET',
  path: '/api/audit/publishing',
  access: AUDIT_READERS,
  feature,
  summary: 'Retrieve checkpoint publishing',
  description:
    'Returns how often a signed checkpoint of the audit log leaves the server, and who gets it by email.',
  status: 200,
  answer: AuditPublishing,
  answerExample: {
    every: 'day',
    mailTo: ['0193a1b2-0000-7000-8000-000000000002'],
    last: { at: '2027-01-31T00:00:12.000Z', size: 14 },
  },
});
export const changeAuditPublishing = endpoint({
  name: 'changeAuditPublishing',
  method: 'PUT',
  path: '/api/audit/publishing',
  access: ADMINS,
  feature,
  summary: 'Change checkpoint publishing',
  description:
    'Each period, also when nothing else happens, the event `CheckpointPublished` records a signed checkpoint of the audit log. Webhooks deliver the event, and members in `mailTo` get the checkpoint by email. The first one follows within a minute.',
  body: z.strictObject({
    every: CheckpointPeriod.nullable(),
    mailTo: z
      .array(Id, 'mailTo must be a list of ids of members')
      .max(
        CHECKPOINT_RECIPIENTS_MAX,
        `mailTo can have at most ${CHECKPOINT_RECIPIENTS_MAX} members`,
      )
      .refine((ids) => new Set(ids).size === ids.length, 'mailTo names a member twice')
      .default([]),
  }),
  example: { every: 'day', mailTo: [] },
  status: 200,
  answer: AuditPublishingChoice,
  answerExample: { every: 'day', mailTo: ['0193a1b2-0000-7000-8000-000000000002'] },
});
