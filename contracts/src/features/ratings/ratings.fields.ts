import { z } from 'zod';
import { Id, Instant } from '../../kernel/ids.ts';

export const RATINGS = ['up', 'down'] as const;
export const Rating = z.enum(RATINGS);
export type Rating = z.infer<typeof Rating>;

export const REASON_MAX = 500;

/** The caller's own rating of an answer. */
export const OwnRating = z.object({ rating: Rating, reason: z.string().nullable() });
export type OwnRating = z.infer<typeof OwnRating>;

/** How often an answer was rated up and down. */
export const RatingCounts = z.object({ up: z.int(), down: z.int() });
export type RatingCounts = z.infer<typeof RatingCounts>;

/** A rating and its author: without a name a former member. */
export const AnswerRating = OwnRating.extend({
  ratedBy: z.object({ id: Id, name: z.string().nullable() }),
  updatedAt: Instant,
});
export type AnswerRating = z.infer<typeof AnswerRating>;

/** The ratings that a task lists, newest first. */
export const LISTED_MAX = 50;
