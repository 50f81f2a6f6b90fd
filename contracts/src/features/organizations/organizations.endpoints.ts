import { z } from 'zod';
import { AsOfQuery } from '../../kernel/as-of.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id } from '../../kernel/ids.ts';

export const Organization = z.object({
  id: Id,
  name: z.string(),
  /** What can be spent now: posted credits less those set aside. */
  creditBalance: z.int(),
  reserved: z.int(),
});
export type Organization = z.infer<typeof Organization>;

export const getOrganization = endpoint({
  name: 'getOrganization',
  method: 'GET',
  path: '/api/organization',
  feature: 'organizations',
  summary: 'The organization of the signed-in person, with its balance',
  query: AsOfQuery,
  status: 200,
  answer: Organization,
});
