import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServerCredentials } from '@grpc/grpc-js';
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

/** Tags of DER, of those types that a certificate is made of. */
const BOOLEAN = 0x01;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_ID = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const SEQUENCE = 0x30;
const SET = 0x31;
const contextTag = (number: number) => 0xa0 + number;
const contextPrimitive = (number: number) => 0x80 + number;

/** Object identifiers, encoded. */
const COMMON_NAME = Buffer.from('550403', 'hex');
const ECDSA_WITH_SHA256 = Buffer.from('2a8648ce3d040302', 'hex');
const BASIC_CONSTRAINTS = Buffer.from('551d13', 'hex');
const KEY_USAGE = Buffer.from('551d0f', 'hex');
const EXTENDED_KEY_USAGE = Buffer.from('551d25', 'hex');
const SUBJECT_ALTERNATIVE_NAME = Buffer.from('551d11', 'hex');
const SERVER_AUTHENTICATION = Buffer.from('2b06010505070301', 'hex');

const DNS_NAME = 2;
const IP_ADDRESS = 7;
const TRUE = Buffer.from([0xff]);
const DIGITAL_SIGNATURE = Buffer.from([7, 0x80]);
const SIGNS_CERTIFICATES = Buffer.from([2, 0x04]);
const YEAR_OF_GENERALIZED_TIME = 2050;

type CertificateContents = {
  /** Common names. */
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Null: an authority, which signs others. */
  readonly hosts: {
    readonly names: readonly string[];
    readonly addresses: readonly Buffer[];
  } | null;
};

/** An X.509 certificate (RFC 5280) as PEM, signed with the issuer's P-256 key. */
function makeCertificate(contents: CertificateContents, issuerKey: KeyObject): string {
  const { subject, issuer, publicKey, notBefore, notAfter } = contents;
  const algorithm = der(SEQUENCE, der(OBJECT_ID, ECDSA_WITH_SHA256));
  const signed = der(
    SEQUENCE,
    der(contextTag(0), der(INTEGER, Buffer.from([2]))),
    der(INTEGER, serialNumber()),
    algorithm,
    nameOf(issuer),
    der(SEQUENCE, timeOf(notBefore), timeOf(notAfter)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(contextTag(3), der(SEQUENCE, ...extensionsOf(contents))),
  );
  const signature = sign('sha256', signed, issuerKey);
  const certificate = der(SEQUENCE, signed, algorithm, bitString(signature));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

/** One byte up to 127, otherwise the number of length bytes, followed by these. */
function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff);
  return [0x80 | bytes.length, ...bytes];
}

/** 16 random bytes, positive and without a leading zero. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

const bitString = (bytes: Uint8Array) => der(BIT_STRING, Buffer.from([0]), bytes);

function nameOf(commonName: string): Buffer {
  const value = der(UTF8_STRING, Buffer.from(commonName));
  return der(SEQUENCE, der(SET, der(SEQUENCE, der(OBJECT_ID, COMMON_NAME), value)));
}

/** Years before 2050 must be written with two digits. */
function timeOf(time: Date): Buffer {
  const text = time.toISOString().replace(/\.\d+/, '').replace(/[-:T]/g, '');
  return time.getUTCFullYear() < YEAR_OF_GENERALIZED_TIME
    ? der(UTC_TIME, Buffer.from(text.slice(2)))
    : der(GENERALIZED_TIME, Buffer.from(text));
}

function extensionsOf({ hosts }: CertificateContents): Buffer[] {
  if (hosts === null) {
    return [
      critical(BASIC_CONSTRAINTS, der(SEQUENCE, der(BOOLEAN, TRUE))),
      critical(KEY_USAGE, der(BIT_STRING, SIGNS_CERTIFICATES)),
    ];
  }
  const names = [
    ...hosts.names.map((name) => der(contextPrimitive(DNS_NAME), Buffer.from(name))),
    ...hosts.addresses.map((address) => der(contextPrimitive(IP_ADDRESS), address)),
  ];
  const usage = der(SEQUENCE, der(OBJECT_ID, SERVER_AUTHENTICATION));
  return [
    critical(BASIC_CONSTRAINTS, der(SEQUENCE)),
    critical(KEY_USAGE, der(BIT_STRING, DIGITAL_SIGNATURE)),
    der(SEQUENCE, der(OBJECT_ID, EXTENDED_KEY_USAGE), der(OCTET_STRING, usage)),
    der(
      SEQUENCE,
      der(OBJECT_ID, SUBJECT_ALTERNATIVE_NAME),
      der(OCTET_STRING, der(SEQUENCE, ...names)),
    ),
  ];
}

const critical = (id: Buffer, value: Buffer) =>
  der(SEQUENCE, der(OBJECT_ID, id), der(BOOLEAN, TRUE), der(OCTET_STRING, value));
