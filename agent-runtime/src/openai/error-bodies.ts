/**
 * The same `fetch`, whose error answers have the form of OpenAI: `{ error: { message } }`. Gemini sends
 * a list of them, vLLM the error itself, and others a `detail`; the client finds nothing in these.
 */
export const withErrorBodies =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (response.ok || response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(errorBody(await response.text()), { status, statusText, headers });
  };

export function errorBody(text: string): string {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return text;
  }
  const first: unknown = Array.isArray(said) ? said[0] : said;
  if (typeof first !== 'object' || first === null) return text;
  if ('error' in first) return JSON.stringify(first);
  return JSON.stringify({ error: 'message' in first ? first : { message: text } });
}
