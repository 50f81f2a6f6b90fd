import {
  AnswerRated,
  type RatingEvent,
  RatingRemoved,
  ratingEvents,
} from '@tallyhand/contracts/features/ratings/ratings.events';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import type { Decider, StreamPolicy } from '../../kit/stream-policy.ts';

type Rated = Parameters<typeof AnswerRated>[0];
type Removed = Parameters<typeof RatingRemoved>[0];

type RatingCommand = EventValue<'Rate', Rated> | EventValue<'Remove', Removed>;

/** One caller's rating of one answer; null without one. */
type GivenRating = Pick<Rated, 'rating' | 'reason'> | null;

const ratingDecider: Decider<GivenRating, RatingCommand, RatingEvent, never> = {
  initialState: () => null,
  decide(command, given) {
    switch (command.type) {
      case 'Rate': {
        const { rating, reason } = command.data;
        const isSame = given?.rating === rating && given.reason === reason;
        return isSame ? [] : [AnswerRated(command.data)];
      }
      case 'Remove':
        return given ? [RatingRemoved(command.data)] : [];
    }
  },
  evolve(_, event) {
    switch (event.type) {
      case 'AnswerRated':
        return { rating: event.data.rating, reason: event.data.reason };
      case 'RatingRemoved':
        return null;
    }
  },
};

export const ratingStream: StreamPolicy<GivenRating, RatingCommand, RatingEvent, never> = {
  category: 'rating',
  decider: ratingDecider,
  events: ratingEvents,
  cachedMax: 300,
};
