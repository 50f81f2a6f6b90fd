import { z } from 'zod';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Page } from '../../kernel/lists.ts';

export const Notification = z.object({
  id: Id,
  kind: z.enum(['low-credits']),
  severity: z.enum(['info', 'warning', 'critical']),
  /** What the sentence is filled with, as {level, available}. */
  params: z.record(z.string(), z.union([z.string(), z.number()])),
  /** What it is about. */
  object: z.object({ kind: z.string(), id: Id }),
  createdAt: Instant,
  readAt: Instant.nullable(),
});
export type Notification = z.infer<typeof Notification>;

export const listNotifications = endpoint({
  name: 'listNotifications',
  method: 'GET',
  path: '/api/notifications',
  feature: 'notifications',
  summary: 'What members should know of, newest first',
  query: Page,
  status: 200,
  answer: z.array(Notification),
});
