import { existsSync } from 'node:fs';
import { type Browser, chromium, type LaunchOptions } from 'playwright';
import { unpackChromium } from './bundled-chromium.ts';
import { browserEnvironment, chromiumPath } from './env.ts';

/** The web's security features stay on; only features useless for a headless browser are off. */
const FLAGS = [
  '--headless=shell',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const SYSTEM_BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export type ChromiumOptions = {
  /** Besides the arguments of every launch. */
  flags?: readonly string[];
  /** The default proxy for traffic of contexts without their own. */
  proxy?: { server: string };
  /** Whether signals to this process close it; false where the caller does. */
  handlesSignals?: boolean;
};

/**
 * Launches the first available Chromium: `CHROMIUM_PATH`, Playwright's, the system's, otherwise the
 * bundled one. It ends with this process, however that ends, because its control pipe closes. Pages
 * run in Chromium's sandbox if the system allows it: never for root, and seldom in a container.
 */
export async function launchChromium(options: ChromiumOptions = {}): Promise<Browser> {
  const { flags = [], proxy, handlesSignals = true } = options;
  const known = [chromiumPath(), chromium.executablePath(), ...SYSTEM_BROWSERS].find(
    (path) => path && existsSync(path),
  );
  const { executablePath, env } = known
    ? { executablePath: known, env: {} }
    : await unpackChromium();
  return launchSandboxed({
    executablePath,
    args: [...FLAGS, ...flags],
    env: { ...browserEnvironment(), ...env },
    proxy,
    handleSIGINT: handlesSignals,
    handleSIGTERM: handlesSignals,
    handleSIGHUP: handlesSignals,
  });
}

let isSandboxRefused = process.getuid?.() === 0;

/** Reports once that there is no sandbox: pages are then confined only by the system. */
async function launchSandboxed(options: LaunchOptions): Promise<Browser> {
  if (!isSandboxRefused) {
    try {
      return await chromium.launch({ ...options, chromiumSandbox: true });
    } catch (error) {
      if (!/sandbox/i.test(String(error))) throw error;
      isSandboxRefused = true;
      process.emitWarning('The system lets no sandbox be made for pages; they run without one.');
    }
  }
  return chromium.launch({ ...options, chromiumSandbox: false });
}
