import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '@tallyhand/service-kit/free-port';
import type { Certificate } from '@tallyhand/test-kit/certificates';

export const DOVECOT_PASSWORD = 'a-password-of-the-shop';
const STARTED_WITHIN_MS = 10_000;

export type Dovecot = AsyncDisposable & {
  readonly imapPort: number;
  readonly pop3Port: number;
  /** Delivers a raw mail to an inbox; `at`: when it arrived. */
  deliver(user: string, raw: string | Buffer, at?: Date): Promise<void>;
  stop(): Promise<void>;
  /** Again at the same ports, with the same mail. */
  start(): Promise<void>;
};

/** Where Dovecot is installed; null where it is not, and tests with it are skipped. */
export function dovecotPath(): string | null {
  try {
    const found = execFileSync('/bin/sh', ['-c', 'PATH=$PATH:/usr/sbin command -v dovecot']);
    return found.toString().trim();
  } catch {
    return null;
  }
}

/**
 * A real IMAP and POP3 server that accepts every user with the one password; with a certificate, by
 * TLS.
 */
export async function startDovecot(path: string, certificate?: Certificate): Promise<Dovecot> {
  const folder = await mkdtemp(join(tmpdir(), 'dovecot-'));
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'mail'));
  await chmod(join(folder, 'mail'), 0o777);
  const [imapPort, pop3Port] = [await freePort(), await freePort()];
  if (certificate) {
    await writeFile(join(folder, 'cert.pem'), certificate.cert);
    await writeFile(join(folder, 'key.pem'), certificate.key, { mode: 0o600 });
  }
  const ports = certificate
    ? { imaps: imapPort, pop3s: pop3Port }
    : { imap: imapPort, pop3: pop3Port };
  await writeFile(join(folder, 'dovecot.conf'), configOf(folder, ports));
  let running: ReturnType<typeof spawn> | null = null;

  async function start() {
    running = spawn(path, ['-F', '-c', join(folder, 'dovecot.conf')], {
      stdio: 'ignore',
      detached: true,
    });
    await reachable(imapPort);
    await reachable(pop3Port);
  }

  async function stop() {
    const ended = running && running.exitCode === null && once(running, 'exit');
    // With the processes that serve its clients.
    if (ended && running?.pid) process.kill(-running.pid, 'SIGKILL');
    await ended;
    running = null;
  }

  await start();
  return {
    imapPort,
    pop3Port,
    start,
    stop,
    async deliver(user, raw, at = new Date()) {
      const box = join(folder, 'mail', user);
      for (const name of ['', 'tmp', 'new', 'cur']) {
        await mkdir(join(box, name), { recursive: true });
        await chmod(join(box, name), 0o777);
      }
      const name = `${Math.floor(at.getTime() / 1000)}.${randomUUID()}.test`;
      await writeFile(join(box, 'tmp', name), raw, { mode: 0o666 });
      await utimes(join(box, 'tmp', name), at, at);
      await rename(join(box, 'tmp', name), join(box, 'new', name));
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function reachable(port: number): Promise<void> {
  const until = Date.now() + STARTED_WITHIN_MS;
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isThere) return;
    if (Date.now() > until) throw new Error('Dovecot did not start');
    await setTimeout(20);
  }
}

type Ports = Partial<Record<'imap' | 'imaps' | 'pop3' | 'pop3s', number>>;

function configOf(folder: string, ports: Ports): string {
  const { imap = 0, imaps = 0, pop3 = 0, pop3s = 0 } = ports;
  const files = `ssl_cert = <${folder}/cert.pem\nssl_key = <${folder}/key.pem`;
  const { username, gid } = userInfo();
  const isRoot = username === 'root';
  const [user, group] = isRoot ? ['nobody', 'nogroup'] : [username, String(gid)];
  return `
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
protocols = imap pop3
listen = 127.0.0.1
ssl = ${imaps ? `yes\n${files}` : 'no'}
disable_plaintext_auth = no
shutdown_clients = yes
auth_failure_delay = 0
mail_location = maildir:${folder}/mail/%u
mail_uid = ${user}
mail_gid = ${group}
first_valid_uid = 1
default_login_user = ${user}
default_internal_user = ${user}
default_internal_group = ${group}
passdb {
  driver = static
  args = password=${DOVECOT_PASSWORD}
}
userdb {
  driver = static
  args = allow_all_users=yes home=${folder}/mail/%u
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${imap}
  }
  inet_listener imaps {
    port = ${imaps}
    ssl = yes
  }
}
service pop3-login {
  chroot =
  inet_listener pop3 {
    port = ${pop3}
  }
  inet_listener pop3s {
    port = ${pop3s}
    ssl = yes
  }
}
service anvil {
  chroot =
  # A wrong password causes no delay: all callers share one address here.
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
`;
}
