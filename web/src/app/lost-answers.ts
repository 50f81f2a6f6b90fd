import type { CallProblem } from './problem.ts';
import { randomHex } from './random-hex.ts';

/** A later repetition is a new intention. */
const REPEAT_MS_MAX = 600_000;
const KEY_BYTES = 16;
/** Faults after which the change may have been made. Any other refusal means that it was not. */
const OPEN_ENDS = ['unknown', 'internal-fault', 'dependency-down', 'read-models-behind'];

type Call = { method: string; path: string; body?: unknown; idempotencyKey?: string };

const wordsOf = ({ method, path, body }: Call) => `${method} ${path} ${JSON.stringify(body)}`;

const isLost = ({ status, code }: CallProblem) =>
  status === 0 || (status >= 500 && OPEN_ENDS.includes(code));

let lost: { words: string; key: string; until: number } | undefined;

/**
 * The idempotency keys of changes. It is unknown whether a change with a lost answer was made: when
 * the next one is identical, it is a repeat with the same key, so that nothing is made twice. After
 * any other change, the same content is a new intention.
 */
export const lostAnswers = {
  withKey<C extends Call>(request: C): C {
    // The files of a form can't be compared; what it brings is only read.
    if (request.method === 'GET' || request.body instanceof FormData) return request;
    const words = wordsOf(request);
    const isRepeat = lost?.words === words && Date.now() < lost.until;
    const idempotencyKey = isRepeat && lost ? lost.key : randomHex(KEY_BYTES);
    lost = undefined;
    return { ...request, idempotencyKey };
  },
  /** Records how a call with a key ended. */
  ended(request: Call, problem: CallProblem | undefined): void {
    const { idempotencyKey: key } = request;
    if (key === undefined || !problem || !isLost(problem)) return;
    lost = { words: wordsOf(request), key, until: Date.now() + REPEAT_MS_MAX };
  },
};
