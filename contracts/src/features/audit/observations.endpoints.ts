import { z } from 'zod';
import { SERVICES } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Observation } from '../../kernel/observation.ts';
import { NotFound } from '../../kernel/problem.ts';

const AT_ONCE_MAX = 1_000;

/** Internal calls, with the service token, never from outside. */
export const noteObservations = endpoint({
  name: 'noteObservations',
  method: 'POST',
  path: '/internal/observations',
  access: SERVICES,
  feature: 'audit',
  summary: 'What reads leave behind, some of them together',
  body: z.strictObject({ observations: z.array(Observation).max(AT_ONCE_MAX) }),
  example: { observations: [] },
  status: 204,
  // The address exists on the internal port only.
  refusals: [NotFound],
});
