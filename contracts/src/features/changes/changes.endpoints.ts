import { z } from 'zod';
import { MEMBERS } from '../../kernel/access.ts';
import { EVENT_STREAM, endpoint } from '../../kernel/endpoint.ts';
import { TooManyStreams } from '../../kernel/problem.ts';

/** The features whose reads may answer differently now; `all` if it is not known which. */
export const Changes = z.object({ changed: z.array(z.string()) });
export type Changes = z.infer<typeof Changes>;

export const streamChanges = endpoint({
  name: 'streamChanges',
  method: 'GET',
  path: '/api/events',
  access: MEMBERS,
  feature: 'changes',
  summary: 'Stream changes',
  description:
    'Names what changes in the organization, as server-sent events, so that what is shown can be read again. The stream ends with the sign-in or key that opened it, or when its role may no longer open one.',
  query: z.strictObject({
    since: z
      .string()
      .regex(/^C\d{1,19}-P\d{1,19}$/, 'Must be the Tallyhand-Position of a read')
      .meta({ description: 'The `Tallyhand-Position` of the read that the stream continues.' })
      .optional(),
  }),
  status: 200,
  media: EVENT_STREAM,
  streamed: { message: Changes },
  refusals: [TooManyStreams],
});
