import { type Endpoint, pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { readSettings, SettingsError } from '@tallyhand/service-kit/settings';
import { addressesOf } from '../supervisor/config.ts';

const TIMEOUT_MS = 60_000;

/** A refusal of the product, with the code of its problem. */
export class DemoRefused extends Error {
  readonly code: string;
  constructor(code: string, sentence: string) {
    super(sentence);
    this.code = code;
  }
}

type Answer = { readonly id: string; readonly token: string };
type Problem = { readonly code: string; readonly detail: string };

export type DemoCaller = (
  endpoint: Endpoint,
  body: unknown,
  params?: Readonly<Record<string, string>>,
) => Promise<Answer>;

/**
 * Calls the running product like a script, with the cookie of its sign-in. Throws `DemoRefused` if
 * the product refuses, and a plain Error if another server answers.
 */
export function demoCaller(url: string): DemoCaller {
  let cookie = '';
  return async (endpoint, body, params = {}) => {
    const response = await fetch(`${url}${pathOf(endpoint, params)}`, {
      method: endpoint.method,
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch(() => {
      throw new Error(`Nothing answers at ${url}. Start it with npm start, or give its address.`);
    });
    const signIn = response.headers.getSetCookie().find((c) => /^(__Host-)?tallyhand=/.test(c));
    if (signIn) cookie = signIn.split(';')[0] ?? '';
    const answer = await response.json().catch(() => {
      throw new Error(`What answers at ${url} is not Tallyhand.`);
    });
    if (response.ok) return answer as Answer;
    const { code, detail } = answer as Problem;
    throw new DemoRefused(code, `${endpoint.name}: ${detail}`);
  };
}

/**
 * The address that the demo calls, and the one to open: the given address, otherwise that of `npm
 * start` with the same settings. Throws a sentence for the operator.
 */
export function demoAddresses(given: string | undefined, env: NodeJS.ProcessEnv) {
  if (given !== undefined) {
    const isWeb = URL.canParse(given) && /^https?:$/.test(new URL(given).protocol);
    if (!isWeb) throw new Error(`${given} is not an address like http://127.0.0.1:8080`);
    const { origin } = new URL(given);
    return { callUrl: origin, openUrl: origin };
  }
  const { settings, faults } = readSettings(env);
  if (faults.length > 0) throw new SettingsError(faults);
  const { localUrl, publicUrl } = addressesOf(settings);
  return { callUrl: localUrl, openUrl: publicUrl };
}
