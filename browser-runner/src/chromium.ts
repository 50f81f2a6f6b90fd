import { existsSync } from 'node:fs';
import { type Browser, chromium, type LaunchOptions } from 'playwright';
import { unpackChromium } from './bundled-chromium.ts';
import { browserEnvironment, chromiumPath } from './env.ts';

/** The web's own security stays on; only what a headless browser has no use for is off. */
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
  /** Where all traffic goes that no context has a proxy of its own for. */
  proxy?: { server: string };
  /** Whether signals to this process close it; false where the caller does. */
  handlesSignals?: boolean;
};

/**
 * Launches the first Chromium that there is: `CHROMIUM_PATH`, Playwright's own, the system's, and
 * else the one that comes as a package. It ends with this process, however that ends: the pipe
 * through which it is steered closes then. Pages are shut into Chromium's own sandbox wherever the
 * system lets it: root is never let, and a container seldom.
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

/** Says once that there is no sandbox: what holds pages is then the system's own walls alone. */
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
