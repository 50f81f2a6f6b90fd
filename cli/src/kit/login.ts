import { chmod, lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, platform } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Environment } from './env.ts';
import { CommandError, EXIT, usageError } from './failures.ts';

/** Where Tallyhand is, and the key that is sent there and nowhere else. */
export type Login = { readonly url: string; readonly apiKey: string };
export type FoundLogin = Login & { readonly source: 'environment' | 'file' };

const OTHERS = 0o077;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

const notSignedIn = (message: string) => new CommandError(EXIT.notSignedIn, message);

export function loginFile({ XDG_CONFIG_HOME, APPDATA }: Environment): string {
  const own = platform() === 'win32' ? APPDATA : XDG_CONFIG_HOME;
  // A relative path would depend on the folder: the XDG standard has it ignored.
  const base = own && isAbsolute(own) ? own : join(homedir(), '.config');
  return join(base, 'tallyhand', 'login.json');
}

/** The address of an installation, checked: `https://tallyhand.example`. */
export function checkedAddress(text: string, { allowHttp = false } = {}): string {
  const address = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw usageError('The address must look like https://tallyhand.example.');
  }
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !isHere && !allowHttp) {
    throw usageError(
      'Over http, others on the network can read the API key. Use https, or add --allow-http.',
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** The key of the environment belongs to the address of the environment, the stored to the stored. */
export async function findLogin(environment: Environment): Promise<FoundLogin> {
  const { TALLYHAND_API_KEY: apiKey, TALLYHAND_URL: given } = environment;
  const url = given && checkedAddress(given, { allowHttp: true });
  if (apiKey) {
    if (!url) throw notSignedIn('TALLYHAND_API_KEY is set. Set TALLYHAND_URL, too.');
    return { url, apiKey, source: 'environment' };
  }
  const stored = await readLogin(environment);
  if (!stored) throw notSignedIn('You are not signed in. Run: tallyhand login');
  if (url && url !== stored.url) {
    throw notSignedIn(
      `TALLYHAND_URL is ${url}, but the stored key belongs to ${stored.url}. Set TALLYHAND_API_KEY, too, or run: tallyhand login ${url}`,
    );
  }
  return { ...stored, source: 'file' };
}

/** Null if there is none. A file that others can read or change is refused. */
async function readLogin(environment: Environment): Promise<Login | null> {
  const path = loginFile(environment);
  const stats = await lstat(path).catch(ignoreAbsent);
  if (!stats) return null;
  const isOthers = process.getuid !== undefined && stats.uid !== process.getuid();
  if (!stats.isFile() || isOthers || (platform() !== 'win32' && stats.mode & OTHERS)) {
    throw notSignedIn(
      `${path} can be read by others, or is not your file. Revoke its key, delete the file, and run: tallyhand login`,
    );
  }
  const { url, apiKey } = parsed(await readFile(path, 'utf8'));
  if (typeof url !== 'string' || typeof apiKey !== 'string') {
    throw notSignedIn(`${path} is damaged. Run: tallyhand login`);
  }
  return { url, apiKey };
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

function ignoreAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

export async function storeLogin(environment: Environment, login: Login): Promise<string> {
  const path = loginFile(environment);
  const folder = join(path, '..');
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  await chmod(folder, FOLDER_MODE);
  const next = `${path}.${process.pid}`;
  await rm(next, { force: true });
  await writeFile(next, `${JSON.stringify(login, null, 2)}\n`, { mode: FILE_MODE, flag: 'wx' });
  await rename(next, path);
  return path;
}

/** Whether there was a login to delete. */
export async function deleteLogin(environment: Environment): Promise<boolean> {
  const path = loginFile(environment);
  const isThere = (await lstat(path).catch(ignoreAbsent)) !== null;
  await rm(path, { force: true });
  return isThere;
}
