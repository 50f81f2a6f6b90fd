import { AnswerRated, RatingRemoved } from '@tallyhand/contracts/features/ratings/ratings.events';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it } from 'vitest';
import { rulesOf } from '../../kit/testing/given.ts';
import { ratingStream } from './rating.decider.ts';

const answer = {
  ratingId: derivedId('rating'),
  organizationId: derivedId('organization'),
  taskId: derivedId('task'),
  conversationId: null,
  messageId: null,
  ratedBy: derivedId('member'),
};
const by = { agentId: derivedId('agent'), agentVersion: 3 };
const reason = 'a reason' as Ciphertext;
const up = { ...answer, ...by, rating: 'up', reason: null } as const;
const down = { ...answer, ...by, rating: 'down', reason: null } as const;

const rate = (data: Parameters<typeof AnswerRated>[0]) => ({ type: 'Rate', data }) as const;
const remove = { type: 'Remove', data: answer } as const;

const given = rulesOf(ratingStream);

describe('Rate', () => {
  it('rates the answer', () => {
    given().when(rate(up)).thenAppended(AnswerRated(up));
  });
  it('replaces an earlier rating', () => {
    given(AnswerRated(up)).when(rate(down)).thenAppended(AnswerRated(down));
  });
  it('adds a reason to the same rating', () => {
    const because = { ...down, reason };
    given(AnswerRated(down)).when(rate(because)).thenAppended(AnswerRated(because));
  });
  it('does nothing when the rating and its reason are the same', () => {
    given(AnswerRated({ ...down, reason }))
      .when(rate({ ...down, reason }))
      .thenNothing();
  });
  it('rates again what was taken back', () => {
    given(AnswerRated(up), RatingRemoved(answer)).when(rate(up)).thenAppended(AnswerRated(up));
  });
});

describe('Remove', () => {
  it('takes the rating back', () => {
    const history = given(AnswerRated(up));
    history.when(remove).thenAppended(RatingRemoved(answer));
    expect(given(AnswerRated(up), RatingRemoved(answer)).state()).toBeNull();
  });
  it('does nothing without a rating', () => {
    given().when(remove).thenNothing();
    given(AnswerRated(up), RatingRemoved(answer)).when(remove).thenNothing();
  });
});
