import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import type { TFunction } from 'i18next';
import { asProblem, type CallProblem } from './problem.ts';

type Named = Pick<Sentence, 'params'> & { readonly code: string | null };

/**
 * A stored sentence of the server, translated by its code, which may be that of a refusal. Without a
 * translation the server's own text.
 */
export function describeSentence(t: TFunction, { code, params }: Named, text: string): string {
  const { reason, scope } = params;
  return t([`sentences:${code}`, `problems:${code}`] as string[] as ['sentences:cancelled'], {
    ...params,
    context: reason ?? scope,
    defaultValue: text,
  });
}

/** The problem with its `reason` translated, if the code of that sentence comes with it as `cause`. */
export function withReason(t: TFunction, error: unknown): CallProblem {
  const problem = asProblem(error);
  const { cause, reason } = problem.params;
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return problem;
  const translated = describeSentence(t, cause as Named, `${reason}`);
  return { ...problem, params: { ...problem.params, reason: translated } };
}
