import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** As PEM. */
export type Certificate = { readonly cert: string; readonly key: string };

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** An authority of a test's own. Needs `openssl`, as whatever serves TLS by Dovecot does. */
export function certificateAuthority() {
  const folder = mkdtempSync(join(tmpdir(), 'authority-'));
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const made = (name: string, args: readonly string[]): Certificate => {
    const files = ['-keyout', at(`${name}.key`), '-out', at(`${name}.pem`)];
    openssl('req', '-x509', ...KEY, '-config', at('config'), ...files, ...args);
    return { cert: read(`${name}.pem`), key: read(`${name}.key`) };
  };
  const read = (name: string) => readFileSync(at(name), 'utf8');
  writeFileSync(at('config'), '[req]\ndistinguished_name = name\n[name]\n');
  const authority = made('ca', [
    '-subj',
    '/CN=An authority of tests',
    '-addext',
    'basicConstraints=critical,CA:TRUE',
    '-addext',
    'keyUsage=critical,keyCertSign',
  ]);
  return {
    cert: authority.cert,
    /** For a name, as `DNS:localhost`. */
    issue(name: string): Certificate {
      const issuer = ['-CA', at('ca.pem'), '-CAkey', at('ca.key')];
      const subject = ['-subj', '/CN=A server', '-addext', `subjectAltName=${name}`];
      return made('server', [...issuer, ...subject]);
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
