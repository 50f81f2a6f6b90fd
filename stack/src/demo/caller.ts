import { type Endpoint, pathOf } from '@tallyhand/contracts/kernel/endpoint';

/** Calls the running product as a script does: it keeps its sign-in cookie, and no other. */
export function demoCaller(url: string) {
  let cookie = '';
  return async (
    endpoint: Endpoint,
    body: unknown,
    params: Readonly<Record<string, string>> = {},
  ): Promise<{ id: string }> => {
    const response = await fetch(`${url}${pathOf(endpoint, params)}`, {
      method: endpoint.method,
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    }).catch(() => {
      throw new Error(`Nothing answers at ${url}. Start it with npm start, or give its address.`);
    });
    const signIn = response.headers.getSetCookie().find((c) => /^(__Host-)?tallyhand=/.test(c));
    if (signIn) cookie = signIn.split(';')[0] ?? '';
    const answer = (await response.json()) as { id: string; detail?: string };
    if (!response.ok) throw new Error(`${endpoint.name}: ${answer.detail}`);
    return answer;
  };
}
