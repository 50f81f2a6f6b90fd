import { z } from 'zod';
import { endpoint } from '../../kernel/endpoint.ts';

/** What the product checks of itself all the time. */
export const Status = z.object({
  status: z.enum(['ok', 'degraded']),
  checks: z.array(
    z.object({
      name: z.enum(['ledger']),
      status: z.enum(['ok', 'failing']),
    }),
  ),
});
export type Status = z.infer<typeof Status>;

export const getStatus = endpoint({
  name: 'getStatus',
  method: 'GET',
  path: '/api/status',
  feature: 'status',
  summary: 'Whether the product is well',
  status: 200,
  answer: Status,
});
