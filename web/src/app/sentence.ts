import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import type { TFunction } from 'i18next';

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
