import { z } from 'zod';
import { PUBLIC } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';

const Health = z.enum(['ok', 'degraded', 'failing']);
export type Health = z.infer<typeof Health>;

/**
 * What is checked: `events`, whether any of them is parked; `read-models`, how far they are behind;
 * `disk`, whether there is room for what is stored, where the stores are on the product's machine.
 */
const CheckName = z.enum(['database', 'event-store', 'read-models', 'events', 'ledger', 'disk']);
export type CheckName = z.infer<typeof CheckName>;

/** What the product checks of itself all the time. */
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
  summary: 'Whether the product is well',
  status: 200,
  answer: Status,
});
