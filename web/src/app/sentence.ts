import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import type { TFunction } from 'i18next';

type Named = Pick<Sentence, 'params'> & { readonly code: string | null };

/**
 * What the server once said, in the reader's language where its code has words: those of a refusal,
 * too, which ended some work. Else as the server said it.
 */
export function describeSentence(t: TFunction, { code, params }: Named, text: string): string {
  const { reason, scope } = params;
  return t([`sentences:${code}`, `problems:${code}`] as string[] as ['sentences:cancelled'], {
    ...params,
    context: reason ?? scope,
    defaultValue: text,
  });
}
