import { detectLanguage, termsOf } from './terms.ts';

type Candidate = { readonly id: string; readonly text: string };

/**
 * The one whose text shares the most different words with the request, the first of several; null
 * where there is none to choose from.
 */
export function chooseFitting(request: string, candidates: readonly Candidate[]): string | null {
  const language = detectLanguage(request, candidates.map(({ text }) => text).join('\n'));
  const asked = new Set(termsOf(request, language));
  let best: { id: string; shared: number } | null = null;
  for (const { id, text } of candidates) {
    const shared = new Set(termsOf(text, language).filter((term) => asked.has(term))).size;
    if (!best || shared > best.shared) best = { id, shared };
  }
  return best?.id ?? null;
}
