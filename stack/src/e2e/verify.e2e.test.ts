import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { getAuditKeyHistory } from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { downloadAuditEvidence } from '@tallyhand/contracts/features/audit/evidence.endpoints';
import { anchorText, treeOfCheckpoints } from '@tallyhand/service-kit/audit-bundle/anchor';
import { publishedKey } from '@tallyhand/service-kit/audit-bundle/public-key';
import { forgedZip } from '@tallyhand/service-kit/audit-bundle/testing/forged-zip';
import {
  archiveOf,
  checkpointOf,
  type Sample,
  sampleBundle,
  sampleHistory,
  sampleKey,
  sampleOrganization,
  sampleRow,
} from '@tallyhand/service-kit/audit-bundle/testing/sample-bundle';
import { verifyBundle } from '@tallyhand/service-kit/audit-bundle/verify';
import { timestampRequest, tokenOf } from '@tallyhand/service-kit/timestamps/timestamps';
import { cookieOf, registerOrganization } from '@tallyhand/test-kit/api-client';
import { startTimestampAuthority } from '@tallyhand/test-kit/timestamp-authority';
import type { Page } from 'playwright';
import { afterAll, describe, expect, it } from 'vitest';
import { expectAccessible, openSuite } from './browser.ts';

const { product, browser } = await openSuite();
const folder = mkdtempSync(join(tmpdir(), 'verify-page-'));
afterAll(() => rmSync(folder, { recursive: true }));

function saved(name: string, contents: string | Uint8Array): string {
  const file = join(folder, name);
  writeFileSync(file, contents);
  return file;
}

const bundle = async (name: string, sample: Sample = {}) =>
  saved(name, archiveOf(await sampleBundle(sample)));

const whole = await sampleBundle({ size: 60 });
const good = saved('good.zip', archiveOf(whole));
const forgedRows = String(whole['events.ndjson']).replace('=call-20', '=call-21');
const forged = saved(
  'forged.zip',
  archiveOf({ ...whole, 'events.ndjson': Buffer.from(forgedRows) }),
);

async function opened(path = '/verify'): Promise<Page> {
  const page = await browser.newPage(product.url);
  await page.goto(path);
  return page;
}

const choose = (page: Page, label: string, file: string) =>
  page.getByLabel(label, { exact: true }).setInputFiles(file);
const more = (page: Page) => page.getByText('Compare with what you know').click();
const press = (page: Page) => page.getByRole('button', { name: 'Verify', exact: true }).click();
const verdict = (page: Page) => page.locator('#result h2');
const lines = (page: Page) => page.locator('#result li').allInnerTexts();

async function verified(page: Page, file: string): Promise<string[]> {
  await choose(page, 'Export', file);
  await press(page);
  await verdict(page).waitFor();
  return lines(page);
}

describe('the page that verifies', () => {
  it('passes a good export with the sentences of the command, and sends nothing: it can make no connection', async () => {
    const page = await browser.newPage(product.url);
    const requests: string[] = [];
    page.context().on('request', (request) => requests.push(request.url()));
    await page.goto('/verify');
    await page.context().setOffline(true);
    const shown = await verified(page, good);
    await page.context().setOffline(false);
    await expect.poll(() => verdict(page).innerText()).toBe('The file is whole and unaltered');
    expect(shown).toEqual((await verifyBundle(good, null)).lines);
    expect(requests.filter((url) => !/^(data|blob):/.test(url))).toEqual([`${product.url}/verify`]);
    await expectAccessible(page);
    expect(browser.complaints()).toEqual([]);

    // It says so in its headers and itself.
    const answer = await fetch(`${product.url}/verify`);
    const header = answer.headers.get('content-security-policy') ?? '';
    for (const directive of [
      "default-src 'none'",
      "connect-src 'none'",
      "frame-ancestors 'none'",
    ]) {
      expect(header).toContain(directive);
    }
    const isSent = page.evaluate(() => fetch('/api/status').then(() => true));
    await expect(isSent).rejects.toThrow();
    const image = `new Promise((done) => {
      const image = new Image();
      image.onload = () => done('loaded');
      image.onerror = () => done('refused');
      image.src = '/favicon.svg';
    })`;
    expect(await page.evaluate(image)).toBe('refused');
    browser.mayComplain(/Content Security Policy/);
    expect(browser.complaints().join()).toContain('Content Security Policy');
  });

  it('names the row of a forged one, and fits on a phone, light and dark', async () => {
    const page = await opened();
    expect((await verified(page, forged))[0]).toBe(
      'Row 20 (line 20 of events.ndjson) was altered.',
    );
    await expect.poll(() => verdict(page).innerText()).toBe('The file did not pass');
    await expectAccessible(page);

    await more(page);
    await page.setViewportSize({ width: 375, height: 720 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const language of ['en', 'de', 'ru', 'ja']) {
        await page.locator('#language').selectOption(language);
        const width = await page.evaluate('document.documentElement.scrollWidth');
        expect(width, `${language}, ${colorScheme}`).toBeLessThanOrEqual(375);
      }
      await expectAccessible(page);
    }
  });

  it('takes an evidence pack, with the key that signed it', async () => {
    const { client } = await registerOrganization(product.url);
    const day = new Date().toISOString().slice(0, 10);
    const query = new URLSearchParams({ from: day, to: day });
    const answer = await fetch(`${product.url}${downloadAuditEvidence.path}?${query}`, {
      headers: { cookie: cookieOf(client) },
    });
    const pack = await answer.bytes();
    const { body: history } = await client.call(getAuditKeyHistory);
    const page = await opened();
    const file = saved('pack.zip', pack);
    await choose(page, 'Export', file);
    await press(page);
    await page.getByText('An evidence pack does not name its key.').waitFor();
    await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('key');
    await expectAccessible(page);
    await page.getByLabel('Public key or key history').fill(JSON.stringify(history));
    expect((await verified(page, file))[0]).toContain('is unchanged.');
    await expect.poll(() => verdict(page).innerText()).toBe('The file is whole and unaltered');
    const forgedPack = Buffer.from(pack);
    const at = forgedPack.indexOf('Evidence pack');
    forgedPack[at] = (forgedPack[at] ?? 0) ^ 1;
    expect((await verified(page, saved('forged-pack.zip', forgedPack)))[0]).toContain(
      'README.txt differs from the signed index.',
    );
  });

  it('reads compressed ones, and refuses bytes between their files with the place', async () => {
    const files = Object.entries(whole).map(([name, plain]) => {
      return { name, plain, data: deflateRawSync(plain), method: 8 };
    });
    const page = await opened();
    const packed = saved('packed.zip', forgedZip({ files }));
    expect((await verified(page, packed))[0]).toBe('The export is whole and unaltered.');
    const [first, ...rest] = files;
    const damaged = {
      ...first,
      name: 'manifest.json',
      data: Buffer.concat([first?.data ?? Buffer.of(), Buffer.from('x')]),
    };
    for (const [name, change] of [
      ['gap.zip', { files, beforeDirectory: Buffer.from('hidden') }],
      ['behind.zip', { files: [damaged, ...rest] }],
    ] as const) {
      const file = saved(name, forgedZip(change));
      const { lines: expected } = await verifyBundle(file, null);
      expect(await verified(page, file)).toEqual(expected);
      expect(expected[0]).toMatch(/^Bytes \d+ to \d+ of the ZIP file|other bytes follow it/);
    }
  });

  it('takes a file that is dropped anywhere on it, says that it is no export, and that one is missing', async () => {
    const page = await opened();
    await press(page);
    await page.getByText('Choose the ZIP file of an export or an evidence pack.').waitFor();
    await expectAccessible(page);
    const transfer = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(['no archive'], 'dropped.zip'));
      return data;
    })()`);
    await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
    await press(page);
    await page.getByText(/^This is no ZIP file/).waitFor();
    const text = saved('notes.txt', 'sequence,at\r\n');
    expect(await verified(page, text)).toEqual((await verifyBundle(text, null)).lines);
    expect((await lines(page))[0]).toMatch(/^This is no ZIP file/);
  });

  it('compares with an earlier export, a key, an organization and a number of entries', async () => {
    const page = await opened();
    await more(page);
    await choose(page, 'Earlier export or checkpoint', await bundle('earlier.zip', { size: 30 }));
    await page.getByLabel('Public key or key history').fill(publishedKey(sampleKey).pem);
    await page.getByLabel('Id of the organization').fill(sampleOrganization);
    await page.getByLabel('Minimum number of entries').fill('60');
    const shown = await verified(page, good);
    expect(shown).toContain('The log begins with the 30 rows of the earlier checkpoint.');
    expect(shown).toContain(`Signed with the key ${sampleKey.keyId}.`);
    await expectAccessible(page);

    const rowOf = (sequence: number) => ({ ...sampleRow(sequence), correlationId: 'rewritten' });
    const rewritten = await bundle('rewritten.zip', { size: 60, rowOf });
    await page.getByLabel('Minimum number of entries').fill('61');
    expect(await verified(page, rewritten)).toEqual([
      'The export is of 60 rows; at least 61 were expected.',
      'The log was rewritten: its first 30 rows are not those of the earlier checkpoint.',
      'Row 1 is the first that differs.',
    ]);
  });

  it('takes a file with a key history, and names the fields that it can not use', async () => {
    const page = await opened();
    await choose(page, 'Export', good);
    await more(page);
    const history = saved('keys.json', JSON.stringify({ keys: sampleHistory }));
    await choose(page, 'Or choose a file with it', history);
    expect((await verified(page, good)).at(-1)).toContain('of the key history.');
    await choose(page, 'Or choose a file with it', forged);
    await press(page);
    await page.getByText('neither an Ed25519 public key nor a key history').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await choose(page, 'Export', good);
    await choose(page, 'Earlier export or checkpoint', history);
    await press(page);
    await page
      .getByText("This file can't be used. It is neither an export nor a checkpoint.")
      .waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await choose(page, 'Export', good);
    await page.getByLabel('Minimum number of entries').fill('many');
    await press(page);
    await page.getByText('Enter a whole number.').waitFor();
    await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('at-least');
  });

  it('verifies time-stamps with the certificate of their authority, where the browser has cryptography', async () => {
    await using authority = await startTimestampAuthority();
    const rows = Array.from({ length: 60 }, (_, at) => sampleRow(at + 1));
    const checkpoint = await checkpointOf(rows);
    const { root, proofs } = treeOfCheckpoints([checkpoint]);
    const anchor = anchorText({ number: 1, size: 1, root }, null);
    const request = timestampRequest(anchor);
    const answer = await fetch(authority.url, { method: 'POST', body: Buffer.from(request.der) });
    const { token, at, authority: name } = await tokenOf(await answer.bytes(), anchor, request);
    const stamps = saved(
      'stamps.ndjson',
      `${JSON.stringify({
        checkpoint,
        anchor,
        index: 0,
        proof: proofs[0]?.map((hash) => hash.toString('base64')),
        token: Buffer.from(token).toString('base64'),
        authority: name,
        stampedAt: at.toISOString(),
      })}\n`,
    );
    const page = await opened();
    await more(page);
    await choose(page, 'Time-stamps', stamps);
    await choose(page, 'Export', good);
    await press(page);
    await page.getByText('choose both files').waitFor();
    const certificate = 'Root certificates of the authority that you trust (PEM)';
    await choose(page, certificate, saved('authority.pem', authority.pem));
    expect((await verified(page, good)).at(-1)).toMatch(
      /^The log has what Test Time-Stamps stamped/,
    );
    await using other = await startTimestampAuthority();
    await choose(page, certificate, saved('other.pem', other.pem));
    await press(page);
    await page.getByText(/^These time-stamps can't be used\. Line 1: /).waitFor();

    // As over plain HTTP, where the browser has no cryptography.
    await page.evaluate(`Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined })`);
    await press(page);
    await page.getByText('Time-stamps need the Web Cryptography of the browser').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    expect((await verified(page, good))[0]).toBe('The export is whole and unaltered.');
  });

  it('shows how far it is, and is cancelled', async () => {
    // What they say is of no account: they are not read to the end.
    const row = sampleRow(1);
    const alike = (sequence: number) => ({ ...row, sequence });
    const page = await opened();
    await choose(page, 'Export', await bundle('large.zip', { size: 30_000, rowOf: alike }));
    await press(page);
    await expect.poll(() => page.locator('progress').getAttribute('value')).not.toBe('0');
    await page.keyboard.press('Enter');
    await expect.poll(() => verdict(page).innerText()).toBe('The verification was cancelled');
    await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('verify');
    expect((await verified(page, good))[0]).toBe('The export is whole and unaltered.');
  });

  it('works as a file without a network, in the language of the browser', async () => {
    const page = await opened();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download the page' }).click();
    const file = join(folder, (await download).suggestedFilename());
    await (await download).saveAs(file);
    const alone = await browser.newPage(product.url, { locale: 'de-DE', offline: true });
    await alone.goto(pathToFileURL(file).href);
    await alone.getByText('Sie haben die heruntergeladene Seite geöffnet').waitFor();
    await alone.getByLabel('Export', { exact: true }).setInputFiles(forged);
    await alone.getByRole('button', { name: 'Prüfen' }).click();
    await alone.getByText('Row 20 (line 20 of events.ndjson) was altered.').waitFor();
    await alone.getByText('Die Datei hat die Prüfung nicht bestanden').waitFor();
    await alone.getByLabel('Sprache').selectOption('ja');
    await alone.getByText('ファイルは検証に合格しませんでした').waitFor();
  });
});
