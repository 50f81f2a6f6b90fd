import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { Server } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../conformance/subject.ts';
import { authorityFile, serverCertificate, TlsCredentials } from './tls-files.ts';

const MADE = new Date('2026-11-23T12:00:00Z');
const after = (days: number) => new Date(MADE.getTime() + days * 24 * 60 * 60 * 1_000);

describe('the certificate of the server', () => {
  it('is for this machine, and signed by the authority of its folder', async () => {
    await using folder = await temporaryFolder();
    const { cert } = serverCertificate(folder.path, MADE);
    const certificate = new X509Certificate(cert);
    const authority = new X509Certificate(await readFile(authorityFile(folder.path)));
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.checkIssued(authority)).toBe(true);
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkIP('::1')).toBe('::1');
    expect(certificate.checkHost('example.com')).toBeUndefined();
    expect(certificate.ca).toBe(false);
    expect(authority.ca).toBe(true);
    expect(authority.validToDate.getUTCFullYear()).toBe(9999);
  });

  it('stays the same until a year before it expires, and so does the authority after', async () => {
    await using folder = await temporaryFolder();
    const first = serverCertificate(folder.path, MADE);
    const authority = await readFile(authorityFile(folder.path));
    expect(serverCertificate(folder.path, after(364))).toEqual(first);
    const renewed = serverCertificate(folder.path, after(366));
    expect(renewed.cert).not.toBe(first.cert);
    expect(new X509Certificate(renewed.cert).validToDate > after(2 * 364)).toBe(true);
    expect(await readFile(authorityFile(folder.path))).toEqual(authority);
    const known = new X509Certificate(authority);
    expect(new X509Certificate(renewed.cert).verify(known.publicKey)).toBe(true);
    expect(serverCertificate(folder.path, after(367))).toEqual(renewed);
  });

  it('is created again when the clock was wrong, or a file is damaged or missing', async () => {
    await using folder = await temporaryFolder();
    const early = serverCertificate(folder.path, after(100));
    const now = serverCertificate(folder.path, MADE);
    expect(now.cert).not.toBe(early.cert);
    for (const name of ['server.pem', 'authority.crt', 'authority.key']) {
      const file = join(folder.path, 'tls', name);
      await writeFile(file, '-----BEGIN CERTIFICATE-----\nbroken\n');
      expectValid(serverCertificate(folder.path, MADE).cert, await authorityOf(folder));
      await rm(file);
      expectValid(serverCertificate(folder.path, MADE).cert, await authorityOf(folder));
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    }
  });

  it('can be written for dates before and after 2050', async () => {
    await using folder = await temporaryFolder();
    const { cert } = serverCertificate(folder.path, new Date('2049-06-01T00:00:00Z'));
    const { validFromDate, validToDate } = new X509Certificate(cert);
    expect(validFromDate.toISOString()).toBe('2049-05-31T00:00:00.000Z');
    expect(validToDate.toISOString()).toBe('2051-06-01T00:00:00.000Z');
  });
});

describe('a server that runs for more than a year', () => {
  it('presents a renewed certificate, signed by the authority that clients trust', async () => {
    await using folder = await temporaryFolder();
    const server = new Server();
    const yearAndHalfAgo = new Date();
    yearAndHalfAgo.setUTCDate(yearAndHalfAgo.getUTCDate() - 550);
    const old = serverCertificate(folder.path, yearAndHalfAgo);
    using tls = new TlsCredentials(folder.path, yearAndHalfAgo);
    const ca = await readFile(authorityFile(folder.path));
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', tls, (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
    const shown = async () => {
      const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca, ...HTTP2 });
      await once(socket, 'secureConnect');
      const { serialNumber } = socket.getPeerCertificate();
      socket.destroy();
      return serialNumber;
    };
    try {
      const first = await shown();
      expect(first).toBe(serialOf(old.cert));
      tls.renew(new Date());
      const second = await shown();
      expect(second).not.toBe(first);
      tls.renew(new Date());
      expect(await shown()).toBe(second);
    } finally {
      server.forceShutdown();
    }
  });
});

const HTTP2 = { ALPNProtocols: ['h2'] };

const serialOf = (cert: string) => new X509Certificate(cert).serialNumber;

const authorityOf = async ({ path }: { path: string }) =>
  new X509Certificate(await readFile(authorityFile(path)));

function expectValid(cert: string, authority: X509Certificate) {
  expect(new X509Certificate(cert).verify(authority.publicKey)).toBe(true);
}
