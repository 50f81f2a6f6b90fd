import { LISTED_MAX, type Rating } from '@tallyhand/contracts/features/ratings/ratings.fields';
import { nameOf } from './charges.ts';

const timesRated = (rating: Rating) => `count(*) filter (where r.rating = '${rating}')`;

const ratingsOf = (answerId: string) =>
  `read_model.answer_ratings r where r.answer_id = ${answerId}`;

/** How often an answer is rated up and down, and how the caller rated it. */
export const ratingCounts = (answerId: string) =>
  `(select json_build_object('up', ${timesRated('up')}, 'down', ${timesRated('down')},
      'own', max(r.rating) filter (where r.rated_by = me.user_id))
    from ${ratingsOf(answerId)})`;

/** Whether an answer is rated as an argument says. */
export const isRated = (answerId: string, argument: string) =>
  `exists (select from ${ratingsOf(answerId)} and r.rating = ${argument})`;

/** The newest ratings of an answer, with their authors. */
export const ratingList = (answerId: string) =>
  `(select coalesce(json_agg(json_build_object('rating', l.rating, 'reason', l.reason,
      'ratedBy', json_build_object('id', l.rated_by, 'name', ${nameOf('l.rated_by')}),
      'updatedAt', l.updated_at) order by l.updated_at desc, l.rating_id), '[]')
    from (select r.* from ${ratingsOf(answerId)}
      order by r.updated_at desc, r.rating_id limit ${LISTED_MAX}) l)`;

/** The caller's rating of an answer, or null. */
export const ownRating = (answerId: string) =>
  `(select json_build_object('rating', r.rating, 'reason', r.reason)
    from ${ratingsOf(answerId)} and r.rated_by = me.user_id)`;
