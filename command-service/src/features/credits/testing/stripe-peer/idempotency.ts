import { ApiError } from './api-error.ts';

export type Answer = { readonly status: number; readonly body: string };

type Kept = { readonly endpoint: string; readonly parameters: string; readonly answer: Answer };

/**
 * The first answer of a key is kept, and given again to the same request. What was refused before
 * any work began is not kept, so that it can be corrected under the same key.
 */
export function idempotentAnswers() {
  const kept = new Map<string, Kept>();
  return {
    /** The answer of a key that was used before for the same request. */
    find(key: string, endpoint: string, parameters: string): Answer | null {
      if (key.length > 255) throw refused(`Idempotency keys can be up to 255 characters long.`);
      const first = kept.get(key);
      if (!first) return null;
      const otherKey = `Try using a key other than '${key}' if you meant to execute a different request.`;
      if (first.endpoint !== endpoint) {
        const both = `('${first.endpoint}' vs '${endpoint}')`;
        const said = 'Keys for idempotent requests can only be used for the same endpoint';
        throw refused(`${said} they were first used for ${both}. ${otherKey}`);
      }
      if (first.parameters !== parameters) {
        const said = 'Keys for idempotent requests can only be used with the same parameters';
        throw refused(`${said} they were first used with. ${otherKey}`);
      }
      return first.answer;
    },
    keep(key: string, kept_: Kept): void {
      kept.set(key, kept_);
    },
  };
}

const refused = (message: string) => new ApiError(400, { type: 'idempotency_error', message });
