import { z } from 'zod';

/** Lists are paged by key. Without `limit` and `cursor` a list returns up to 1,000 rows. */
export const LIST_LENGTH_MAX = 1000;

export const Page = z.strictObject({
  limit: z.coerce
    .number({ error: 'limit must be a number' })
    .int('limit must be a whole number')
    .min(1, 'limit must be at least 1')
    .max(LIST_LENGTH_MAX, `limit must be at most ${LIST_LENGTH_MAX}`)
    .optional(),
  cursor: z.string().max(200).optional(),
});
export type Page = z.infer<typeof Page>;

export const ORDERS = ['newest', 'oldest'] as const;
export type Order = (typeof ORDERS)[number];

/** The query of a list with either order; a cursor belongs to its order. */
export const Ordered = {
  order: z
    .enum(ORDERS, { error: `order must be ${ORDERS.join(' or ')}` })
    .meta({ description: 'Which entries come first; the newest where nothing is said.' })
    .optional(),
};
