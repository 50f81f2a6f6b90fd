import {
  type Device,
  getSecondFactor,
  listSignInHistory,
  listSignIns,
} from '@tallyhand/contracts/features/identity/account.endpoints';
import { getCurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import {
  readSecondFactor,
  readSignInHistory,
  readSignIns,
} from '@tallyhand/read-models/features/identity/sign-ins';
import { readCurrentUser } from '@tallyhand/read-models/features/team/team.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { oneRoute, route } from '../../kernel/route.ts';
import type { ReadResult } from '../../kernel/run-read.ts';

export function identityRoutes(app: FastifyInstance, context: QueryContext) {
  oneRoute(app, context, getCurrentUser, readCurrentUser, { what: 'account' });
  oneRoute(app, context, getSecondFactor, readSecondFactor);
  route(app, context, listSignIns, async ({ read }) => {
    const result = await read(readSignIns, {});
    return isRefusal(result) ? result : withDevices(result);
  });
  route(app, context, listSignInHistory, async ({ read }) => {
    const result = await read(readSignInHistory, {});
    return isRefusal(result) ? result : withDevices(result);
  });
}

/** Replaces user agents by the names of browser and system. */
function withDevices({ kind, body }: ReadResult): ReadResult {
  const rows = JSON.parse(body ?? '[]') as { readonly userAgent: string | null }[];
  const shown = rows.map(({ userAgent, ...row }) => ({ ...row, device: deviceOf(userAgent) }));
  return { kind, body: JSON.stringify(shown) };
}

/** The first match counts: user agents also name other browsers. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgi?A?(iOS)?\//, 'Edge'],
  [/\b(OPR|OPT|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Headless)?(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\b(iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** The browser and the system that a user agent names. */
export function deviceOf(userAgent: string | null): Device {
  const named = (kinds: typeof BROWSERS) =>
    kinds.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1] ?? null;
  return { browser: named(BROWSERS), system: named(SYSTEMS) };
}
