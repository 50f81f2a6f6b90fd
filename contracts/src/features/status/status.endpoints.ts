import { z } from 'zod';
import { PUBLIC } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';

const Health = z.enum(['ok', 'degraded', 'failing']);
export type Health = z.infer<typeof Health>;

/**
 * `audit`: audit logs are what was computed and signed of them; `events`: parked events;
 * `read-models`: their lag; `disk`: free space where data is stored, if the stores are on the
 * product's machine.
 */
const CheckName = z.enum([
  'database',
  'event-store',
  'read-models',
  'events',
  'ledger',
  'audit',
  'disk',
]);
export type CheckName = z.infer<typeof CheckName>;

/** The product's health checks. */
export const Status = z.object({
  status: Health,
  checks: z.array(z.object({ name: CheckName, status: Health })),
});
export type Status = z.infer<typeof Status>;

export const getStatus = endpoint({
  name: 'getStatus',
  method: 'GET',
  path: '/api/status',
  access: PUBLIC,
  feature: 'status',
  summary: 'Retrieve the status',
  description: 'Returns whether the product works, and which parts do not.',
  status: 200,
  answer: Status,
  answerExample: {
    status: 'ok',
    checks: [
      { name: 'database', status: 'ok' },
      { name: 'event-store', status: 'ok' },
    ],
  },
});
