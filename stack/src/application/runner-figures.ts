import { bearer } from '@tallyhand/service-kit/http/service-token';

const ANSWER_MS_MAX = 2_000;

/** The metrics of the local browser runner; empty while none runs. Never throws. */
export async function runnerFigures(address: string | null, internalToken = ''): Promise<string> {
  if (!address) return '';
  try {
    const answer = await fetch(`${address}/metrics`, {
      headers: { authorization: bearer(internalToken) },
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    return answer.ok ? await answer.text() : '';
  } catch {
    return '';
  }
}
