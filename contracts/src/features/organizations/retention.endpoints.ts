import { z } from 'zod';
import { ADMINS, AUDIT_READERS } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { LegalHoldStands } from './organizations.refusals.ts';

const feature = 'organizations';

export const RETENTION_DAYS_MIN = 30;
export const RETENTION_DAYS_MAX = 3_650;
export const HOLD_REASON_MAX = 500;

const WHOLE_DAYS = `Days must be a whole number from ${RETENTION_DAYS_MIN} to ${RETENTION_DAYS_MAX}`;
const SOME_REASON = `The reason must have 1 to ${HOLD_REASON_MAX} characters`;

/** When personal data of former members is erased. */
export const Retention = z.object({
  /** Days after an Admin removed the member; null: not by a rule. */
  days: z.int().nullable(),
  /** While it stands, no one is erased; null without one. */
  hold: z
    .object({
      reason: z.string(),
      placedAt: Instant,
      /** The Admin; null if an API key placed it. */
      placedBy: Id.nullable(),
    })
    .nullable(),
  /** Former members who will be erased: by the rule, or as they asked. */
  waiting: z.int(),
  /** When the first of them is due; null if no one waits, or while a hold stands. */
  nextDueAt: Instant.nullable(),
});
export type Retention = z.infer<typeof Retention>;

export const RetentionRule = z.strictObject({
  days: z
    .int({ error: WHOLE_DAYS })
    .min(RETENTION_DAYS_MIN, WHOLE_DAYS)
    .max(RETENTION_DAYS_MAX, WHOLE_DAYS)
    .nullable(),
});
export type RetentionRule = z.infer<typeof RetentionRule>;

export const LegalHold = z.strictObject({
  reason: z
    .string({ error: SOME_REASON })
    .trim()
    .min(1, SOME_REASON)
    .max(HOLD_REASON_MAX, SOME_REASON),
});
export type LegalHold = z.infer<typeof LegalHold>;

const rule = { path: '/api/organization/retention', feature, status: 200 } as const;
const hold = { path: '/api/organization/legal-hold', feature } as const;

export const getRetention = endpoint({
  ...rule,
  name: 'getRetention',
  method: 'GET',
  access: AUDIT_READERS,
  summary: 'Retrieve the retention of personal data',
  description:
    'Returns how long personal data of removed members is kept, whether a legal hold stands, and how many people wait to be erased.',
  answer: Retention,
  answerExample: {
    days: 365,
    hold: {
      reason: 'Case 2026-114',
      placedAt: '2026-03-02T09:30:00.000Z',
      placedBy: '0193a1b2-0000-7000-8000-000000000002',
    },
    waiting: 2,
    nextDueAt: null,
  },
});
export const changeRetention = endpoint({
  ...rule,
  name: 'changeRetention',
  method: 'PUT',
  access: ADMINS,
  summary: 'Change the retention of personal data',
  description:
    'Members whom an Admin removed are erased after so many days, unless they came back: their key is destroyed, and names and addresses read as `erased`. The audit log stays as it is. `null` ends the rule.',
  body: RetentionRule,
  example: { days: 365 },
  answer: RetentionRule,
  answerExample: { days: 365 },
});
export const placeLegalHold = endpoint({
  ...hold,
  name: 'placeLegalHold',
  method: 'PUT',
  access: ADMINS,
  summary: 'Place a legal hold',
  description:
    'While it stands, no one in the organization is erased, and the organization can’t be closed. People who delete their account lose access at once, and are erased after the hold is lifted. To change the reason, lift the hold first. Webhooks and the audit log carry the reason, and it is never erased: don’t name people.',
  body: LegalHold,
  example: { reason: 'Case 2026-114' },
  status: 200,
  answer: LegalHold,
  answerExample: { reason: 'Case 2026-114' },
  refusals: [LegalHoldStands],
});
export const liftLegalHold = endpoint({
  ...hold,
  name: 'liftLegalHold',
  method: 'DELETE',
  access: ADMINS,
  summary: 'Lift the legal hold',
  description: 'Everyone who waited is erased within an hour. Does nothing if no hold stands.',
  status: 204,
});
