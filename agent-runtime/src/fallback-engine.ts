import type { Planner } from './browsing/planner.ts';
import { type AnswerEngine, type AnswerRequest, EngineFailure } from './engine.ts';

/** Failures of the endpoint, after which another model may answer. */
const PASSING = ['model-unavailable', 'model-timeout'];

/**
 * Answers with the second engine when the first one's model is busy, fails or does not answer in time.
 * Not after it has called a tool or streamed text: neither can be taken back.
 */
export function withFallback(first: AnswerEngine, second: AnswerEngine): AnswerEngine {
  return {
    model: first.model,
    get seesImages() {
      return first.seesImages;
    },
    async answer(request) {
      let hasActed = false;
      try {
        return await first.answer(observed(request, () => (hasActed = true)));
      } catch (error) {
        const isBlind = (request.images?.length ?? 0) > 0 && !second.seesImages;
        if (!isPassing(error) || hasActed || isBlind || request.signal.aborted) throw error;
        return second.answer(request);
      }
    },
  };
}

/** Plans with the second planner where `withFallback` would answer with the second engine. */
export function plannerWithFallback(first: Planner, second: Planner): Planner {
  return {
    model: first.model,
    get seesImages() {
      return first.seesImages;
    },
    async next(request) {
      try {
        return await first.next(request);
      } catch (error) {
        if (!isPassing(error) || request.signal.aborted) throw error;
        return second.next(request);
      }
    },
  };
}

const isPassing = (error: unknown) =>
  error instanceof EngineFailure && PASSING.includes(error.code);

function observed(request: AnswerRequest, act: () => void): AnswerRequest {
  const { onText, tools } = request;
  return {
    ...request,
    onText:
      onText &&
      ((piece) => {
        act();
        onText(piece);
      }),
    tools: tools?.map((tool) => ({
      ...tool,
      call(...call) {
        act();
        return tool.call(...call);
      },
    })),
  };
}
