import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { guardedFetch } from '@tallyhand/agent-runtime/guard/guarded-fetch';
import { OutboundFailed, OutboundRefused } from '@tallyhand/agent-runtime/guard/outbound-errors';

/** How much of an answer is read, and stored. */
const ANSWER_BYTES_MAX = 64 * 1024;
const ANSWER_KEPT_MAX = 1_000;

export type Attempted = {
  /** Null without an answer. */
  readonly status: number | null;
  readonly ms: number;
  readonly error: string | null;
  readonly answer: string | null;
};

type Message = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Sends once and returns the outcome. Does not follow redirects. Throws on bugs only. */
export async function attempt(
  { url, headers, body }: Message,
  policy: OutboundPolicy,
  { answerMs, signal }: { readonly answerMs: number; readonly signal: AbortSignal },
): Promise<Attempted> {
  const started = performance.now();
  const ms = () => Math.round(performance.now() - started);
  try {
    const response = await guardedFetch(
      url,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        signal,
        limits: { totalMs: answerMs, headersMs: answerMs, bodyBytes: ANSWER_BYTES_MAX },
        mayFollow: () => false,
      },
      policy,
    );
    const answer = await beginningOf(response.body);
    const { status } = response;
    const isGood = status >= 200 && status < 300;
    return { status, ms: ms(), error: isGood ? null : `It answered ${status}.`, answer };
  } catch (error) {
    const isKnown = error instanceof OutboundRefused || error instanceof OutboundFailed;
    if (!isKnown) throw error;
    const isRedirect = error instanceof OutboundRefused && error.reason === 'redirect';
    const said = isRedirect ? 'It redirects, which is not followed.' : error.message;
    return { status: null, ms: ms(), error: said, answer: null };
  }
}

/** The beginning of the body. A failure to read it does not change the outcome. */
async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of body) {
      const bytes = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
      if (bytes < ANSWER_KEPT_MAX * 4) chunks.push(chunk);
    }
  } catch (error) {
    if (!(error instanceof OutboundFailed)) throw error;
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks));
  return text.replaceAll('\u0000', '').slice(0, ANSWER_KEPT_MAX).toWellFormed();
}
