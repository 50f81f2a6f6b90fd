import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** The user of all containers, who must be able to read the files. */
const CONTAINER_USER = 1000;
const CLUSTER = [1, 2, 3].map((number) => `event-store-${number}`);
/** The name that nodes of one cluster know each other by. */
const NODE_NAME = '/CN=eventstoredb-node';
const DAYS = '3650';

const secret = () => randomBytes(32).toString('base64url');

/** Signs audit logs. */
const auditKey = () =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' });

/**
 * Creates the secrets of docker-compose.yml as files that only their owner reads. Existing files
 * stay: another master key could not read what the first one sealed.
 *
 * @param {string} folder
 * @param {{ cluster: boolean }} options `cluster`: for three event stores with TLS, not for one
 * @returns {string[]} the names of the created files
 */
export function makeSecrets(folder, { cluster }) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const at = (name) => join(folder, name);
  const made = [];
  const write = (name, value) => {
    if (existsSync(at(name))) return;
    writeFileSync(at(name), value, { mode: 0o600, flag: 'wx' });
    made.push(name);
  };
  writeTogether(at, write, 'postgres_password', 'migrate_database_url', (password) => {
    return `postgres://postgres:${password}@postgres:5432/tallyhand`;
  });
  if (cluster) {
    writeTogether(at, write, 'event_store_password', 'migrate_event_store_url', (password) =>
      clusterUrl('admin', password),
    );
    write('event_store_url', clusterUrl('tallyhand-writer', secret()));
    write('event_store_reader_url', clusterUrl('tallyhand-reader', secret()));
    made.push(...makeCertificates(at));
  } else {
    // Without TLS an event store knows no users: all are one.
    for (const name of ['event_store_url', 'event_store_reader_url']) {
      write(name, 'esdb://event-store:2113?tls=false');
    }
    write('migrate_event_store_url', '');
    write('event_store_ca.crt', '');
  }
  for (const name of ['master_key', 'signing_key', 'internal_token']) write(name, secret());
  write('audit_key', auditKey());
  // Empty is as good as not there: the operator fills in those that are wanted.
  for (const name of [
    'audit_vault_token',
    'openai_api_key',
    'stripe_secret_key',
    'stripe_webhook_secret',
    'smtp_url',
    'otel_headers',
  ]) {
    write(name, '');
  }
  giveToContainers(made.map(at));
  return made;
}

function clusterUrl(user, password) {
  const hosts = CLUSTER.map((name) => `${name}:2113`).join(',');
  return `esdb://${user}:${password}@${hosts}?tls=true&tlsCAFile=/run/secrets/event_store_ca.crt`;
}

/** A password, and the address that has it in it: one without the other would be of no use. */
function writeTogether(at, write, passwordName, urlName, urlOf) {
  const there = [passwordName, urlName].filter((name) => existsSync(at(name)));
  if (there.length === 2) return;
  if (there.length === 1) {
    throw new Error(
      `${at(there[0])} is there, its other half is not: remove it, or take another folder.`,
    );
  }
  const password = secret();
  write(passwordName, password);
  write(urlName, urlOf(password));
}

/** An authority of the cluster's own, and for each node a certificate in the node's name. */
function makeCertificates(at) {
  const authority = { cert: 'event_store_ca.crt', key: 'event_store_ca.key' };
  if (existsSync(at(authority.cert))) return [];
  const of = ({ cert, key }) => [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    DAYS,
    '-config',
    at('openssl'),
    '-keyout',
    at(key),
    '-out',
    at(cert),
  ];
  writeFileSync(at('openssl'), '[req]\ndistinguished_name = name\n[name]\n', { mode: 0o600 });
  openssl([
    ...of(authority),
    '-subj',
    '/CN=Tallyhand event stores',
    '-addext',
    'basicConstraints=critical,CA:TRUE',
    '-addext',
    'keyUsage=critical,keyCertSign,cRLSign',
  ]);
  const nodes = CLUSTER.map((name) => {
    const files = { cert: `${name}.crt`, key: `${name}.key` };
    openssl([
      ...of(files),
      '-subj',
      NODE_NAME,
      '-CA',
      at(authority.cert),
      '-CAkey',
      at(authority.key),
      '-addext',
      `subjectAltName=DNS:${name},DNS:localhost,IP:127.0.0.1`,
      '-addext',
      'basicConstraints=critical,CA:FALSE',
      '-addext',
      'keyUsage=critical,digitalSignature,keyEncipherment',
      '-addext',
      'extendedKeyUsage=serverAuth,clientAuth',
    ]);
    return files;
  });
  rmSync(at('openssl'));
  return [authority, ...nodes].flatMap(({ cert, key }) => [cert, key]);
}

function openssl(args) {
  const { status, error, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
  if (error) throw new Error(`openssl is needed for the certificates of a cluster: ${error.code}`);
  if (status !== 0) throw new Error(`openssl could not make a certificate:\n${stderr}`);
}

function giveToContainers(paths) {
  if (process.getuid?.() !== 0) return;
  for (const path of paths) chownSync(path, CONTAINER_USER, CONTAINER_USER);
}

function main() {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { cluster: { type: 'boolean', default: false } },
  });
  const [folder] = positionals;
  if (folder === undefined || positionals.length > 1) {
    throw new Error('npm run secrets -- FOLDER [--cluster]');
  }
  const path = resolve(folder);
  const made = makeSecrets(path, values);
  console.log(
    made.length > 0
      ? `Made in ${path}: ${made.join(', ')}.`
      : `${path} has all secrets already; nothing was changed.`,
  );
  const user = process.getuid?.() ?? CONTAINER_USER;
  if (user !== 0 && user !== CONTAINER_USER) {
    console.log(
      `The containers run as user ${CONTAINER_USER}, you as ${user}: give them the files, by ` +
        `chown -R ${CONTAINER_USER}:${CONTAINER_USER} ${path} as root.`,
    );
  }
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) {
  try {
    main();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
