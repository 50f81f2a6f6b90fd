import { z } from 'zod';
import { changeOf } from '../../kernel/changes.ts';
import { Category, Tags, Title } from '../knowledge/knowledge.fields.ts';

export const STEPS_MAX = 100;
export const STEP_LENGTH_MAX = 2_000;
const STEPS_TOO_SHORT = 'Steps must be at least 20 characters';
const TOO_QUICK = 'Duration must be at least 1 minute';
const DURATION_MAX = 10_000;

/** One instruction each; blank ones are dropped. */
const Steps = z
  .array(
    z
      .string('A step must be a text')
      .trim()
      .max(STEP_LENGTH_MAX, `A step can have up to ${STEP_LENGTH_MAX} characters`),
    { error: STEPS_TOO_SHORT },
  )
  .max(STEPS_MAX, `At most ${STEPS_MAX} steps`)
  .transform((steps) => steps.filter((step) => step !== ''))
  .refine((steps) => steps.join('\n').length >= 20, STEPS_TOO_SHORT);

const fields = {
  title: Title,
  description: z
    .string({ error: 'Description must be at least 10 characters' })
    .trim()
    .min(10, 'Description must be at least 10 characters')
    .max(4000, 'Description must be at most 4000 characters'),
  steps: Steps,
  category: Category,
  tags: Tags,
  /** Minutes. */
  estimatedDuration: z
    .int({ error: TOO_QUICK })
    .min(1, TOO_QUICK)
    .max(DURATION_MAX, `Duration must be at most ${DURATION_MAX} minutes`),
};

export const PlaybookInput = z.strictObject({
  ...fields,
  tags: fields.tags.default([]),
  estimatedDuration: fields.estimatedDuration.default(30),
});
export type PlaybookInput = z.infer<typeof PlaybookInput>;

/** Fields that are not sent stay unchanged. */
export const PlaybookChange = changeOf(fields);
export type PlaybookChange = z.infer<typeof PlaybookChange>;
