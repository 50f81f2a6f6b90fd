import { fold } from '../../built-in/terms.ts';
import type { PastStep } from '../planner.ts';
import { pageKey } from './addresses.ts';

const RESULTS =
  /\b(?:results?|search\w*|found|ergebnis\w*|treffer|such\w*|resultats?|recherch\w*|resultados|risultati)\b/;
const NO_RESULTS =
  /\b(?:no (?:results|matches|products)|nothing found|0 results|keine (?:ergebnisse|treffer)|aucun (?:resultat|produit)|sin resultados|nessun risultato)\b/;

/**
 * Tells of the lines of a page which only repeat what was searched for, or say that there is none:
 * they hold the words of the goal, and no answer.
 */
export function echoesOn(url: string, steps: readonly PastStep[]): (line: string) => boolean {
  const key = pageKey(url);
  const queries = steps
    .filter((step) => step.action === 'type' && step.url !== null && pageKey(step.url) === key)
    .map(({ input }) => fold(input.slice(input.lastIndexOf(': ') + 2)));
  return (line) => {
    const folded = fold(line);
    if (NO_RESULTS.test(folded)) return true;
    return RESULTS.test(folded) && queries.some((query) => folded.includes(query));
  };
}
