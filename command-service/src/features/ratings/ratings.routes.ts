import {
  type RatingResult,
  rateReply,
  rateTask,
} from '@tallyhand/contracts/features/ratings/ratings.endpoints';
import type { Rating } from '@tallyhand/contracts/features/ratings/ratings.fields';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { FastifyInstance } from 'fastify';
import type { Caller, Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { route } from '../../kit/route.ts';
import { ratingStream } from './rating.decider.ts';

/** An answer, and the agent that gave it. */
export type RatedAnswer = {
  readonly taskId: string | null;
  readonly conversationId: string | null;
  readonly messageId: string | null;
  readonly agentId: string;
  readonly agentVersion: number;
};

export type RatingsContext = {
  readonly kit: Kit;
  readonly findTaskAnswer: (
    taskId: string,
    organizationId: string,
  ) => Promise<RatedAnswer | Refusal>;
  /** A reply in a conversation of the caller. */
  readonly findReply: (
    caller: Caller,
    conversationId: string,
    messageId: string,
  ) => Promise<RatedAnswer | Refusal>;
};

type Given = { readonly rating: Rating | null; readonly reason?: string | undefined };

export function ratingsRoutes(app: FastifyInstance, context: RatingsContext) {
  const { kit, findTaskAnswer, findReply } = context;
  const ratings = kit.streams.of(ratingStream);

  async function rate(
    { caller, context }: { readonly caller: Caller; readonly context: CommandContext },
    answer: RatedAnswer,
    { rating, reason = '' }: Given,
  ): Promise<RatingResult | Refusal> {
    const { userId: ratedBy, organizationId } = caller;
    const { agentId, agentVersion, ...rated } = answer;
    const ratingId = derivedId('rating', rated.taskId ?? rated.messageId ?? '', ratedBy);
    const data = { ratingId, organizationId, ...rated, ratedBy };
    if (!rating) {
      const removed = await ratings.send(ratingId, { type: 'Remove', data }, context);
      return isRefusal(removed) ? removed : { rating: null, reason: null };
    }
    const sealed = reason === '' ? null : await sealOnce(caller, ratingId, reason);
    const all = { ...data, agentId, agentVersion, rating, reason: sealed };
    const sent = await ratings.send(ratingId, { type: 'Rate', data: all }, context);
    return isRefusal(sent) ? sent : { rating, reason: reason || null };
  }

  /** The same text keeps its ciphertext, so that a repeated rating changes nothing. */
  async function sealOnce({ userId, organizationId }: Caller, ratingId: string, reason: string) {
    const earlier = (await ratings.load(ratingId))?.reason;
    if (earlier && (await kit.personKeys.reveal(userId, earlier)) === reason) return earlier;
    return kit.vault.encrypt(userId, organizationId, reason);
  }

  route(app, kit, rateTask, { what: 'task' }, async ({ params, body, ...call }) => {
    const answer = await findTaskAnswer(params.id, call.caller.organizationId);
    return isRefusal(answer) ? answer : rate(call, answer, body);
  });

  route(app, kit, rateReply, { what: 'conversation' }, async ({ params, body, ...call }) => {
    const { messageId, ...given } = body;
    const answer = await findReply(call.caller, params.id, messageId);
    return isRefusal(answer) ? answer : rate(call, answer, given);
  });
}
