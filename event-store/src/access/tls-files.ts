import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  X509Certificate,
} from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServerCredentials } from '@grpc/grpc-js';
import { type CertificateContents, makeCertificate } from './certificate.ts';
import { writeWhole } from './write-whole.ts';

const AUTHORITY_NAME = 'Tallyhand event store authority';
const SERVER_NAME = 'Tallyhand event store';
const HOSTS: CertificateContents['hosts'] = {
  names: ['localhost'],
  addresses: [Buffer.from([127, 0, 0, 1]), Buffer.concat([Buffer.alloc(15), Buffer.from([1])])],
};

const DAY_MS = 24 * 60 * 60 * 1_000;
const VALID_DAYS = 730;
/** A server that is hardly ever restarted still has a year in which to renew its certificate. */
const RENEWED_DAYS_BEFORE = 365;
/** RFC 5280's date for "does not expire". */
const NEVER = new Date('9999-12-31T23:59:59Z');

/** What a server presents, as PEM. */
export type ServerCertificate = { readonly cert: string; readonly key: string };

const fileOf = (dataDir: string, name: string) => join(dataDir, 'tls', name);

/** The certificate by which clients know the server; it stays the same as long as the folder. */
export const authorityFile = (dataDir: string): string => fileOf(dataDir, 'authority.crt');

/**
 * The server's certificate and key, stored in the data folder and signed by the folder's authority.
 * Missing or damaged files are created, and the certificate is renewed a year before it expires;
 * clients trust the authority, so they accept the new one without a restart.
 */
export function serverCertificate(dataDir: string, now = new Date()): ServerCertificate {
  mkdirSync(join(dataDir, 'tls'), { recursive: true, mode: 0o700 });
  const authority = ensureAuthority(dataDir, now);
  const file = fileOf(dataDir, 'server.pem');
  const kept = readPair(file);
  if (kept && isServing(kept, authority.certificate, now)) return kept;
  const { privateKey, publicKey } = newKeys();
  const cert = makeCertificate(
    {
      subject: SERVER_NAME,
      issuer: AUTHORITY_NAME,
      publicKey,
      notBefore: new Date(now.getTime() - DAY_MS),
      notAfter: new Date(now.getTime() + VALID_DAYS * DAY_MS),
      hosts: HOSTS,
    },
    authority.key,
  );
  const key = pemOf(privateKey);
  // One file: a certificate without its key, after a power loss, would be of no use.
  writeWhole(file, key + cert);
  return { cert, key };
}

function ensureAuthority(
  dataDir: string,
  now: Date,
): { readonly key: KeyObject; readonly certificate: X509Certificate } {
  const keyFile = fileOf(dataDir, 'authority.key');
  let key = attempt(() => createPrivateKey(readFileSync(keyFile)));
  if (!key) {
    key = newKeys().privateKey;
    writeWhole(keyFile, pemOf(key));
  }
  const certificateFile = authorityFile(dataDir);
  const kept = attempt(() => new X509Certificate(readFileSync(certificateFile)));
  if (kept?.checkPrivateKey(key)) return { key, certificate: kept };
  const pem = makeCertificate(
    {
      subject: AUTHORITY_NAME,
      issuer: AUTHORITY_NAME,
      publicKey: createPublicKey(key),
      notBefore: new Date(now.getTime() - DAY_MS),
      notAfter: NEVER,
      hosts: null,
    },
    key,
  );
  writeWhole(certificateFile, pem);
  return { key, certificate: new X509Certificate(pem) };
}

function readPair(file: string): ServerCertificate | null {
  const text = attempt(() => readFileSync(file, 'utf8')) ?? '';
  const [cert] = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/.exec(text) ?? [];
  const [key] = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----\n/.exec(text) ?? [];
  return cert && key ? { cert, key } : null;
}

function isServing({ cert, key }: ServerCertificate, authority: X509Certificate, now: Date) {
  return attempt(() => {
    const certificate = new X509Certificate(cert);
    return (
      certificate.checkPrivateKey(createPrivateKey(key)) &&
      certificate.verify(authority.publicKey) &&
      certificate.validFromDate <= now &&
      certificate.validToDate.getTime() - now.getTime() > RENEWED_DAYS_BEFORE * DAY_MS
    );
  });
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

const pemOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Null where the file is missing or damaged. */
function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

const LOOK_MS = 24 * 60 * 60 * 1_000;

/** The server's side of TLS, with a certificate that is renewed while the server runs. */
export class TlsCredentials extends ServerCredentials implements Disposable {
  readonly #dataDir: string;
  readonly #timer: NodeJS.Timeout;

  constructor(dataDir: string, now = new Date()) {
    super({}, contextOf(serverCertificate(dataDir, now)));
    this.#dataDir = dataDir;
    this.#timer = setInterval(() => this.renew(new Date()), LOOK_MS).unref();
  }

  /** Shows new connections the certificate that is valid now. */
  renew(now: Date): void {
    try {
      this.updateSecureContextOptions(contextOf(serverCertificate(this.#dataDir, now)));
    } catch (error) {
      console.error('event store: the certificate could not be renewed:', error);
    }
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

const contextOf = ({ cert, key }: ServerCertificate) => ({ cert, key });
