import { readFile } from 'node:fs/promises';
import { getAuditPublishing } from '@tallyhand/contracts/features/audit/audit-publishing.endpoints';
import { readEarlierHead } from '@tallyhand/service-kit/audit-bundle/earlier-head';
import { readPublicKey } from '@tallyhand/service-kit/audit-bundle/public-key';
import { verifyBundle } from '@tallyhand/service-kit/audit-bundle/verify';
import { openBundle } from '@tallyhand/service-kit/audit-bundle/zip-reader';
import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { exportsUnderWay } from './audit-acts.ts';
import { expectAccessible, openSuite } from './browser.ts';
import {
  addFilter,
  anArticle,
  dialog,
  filterChips,
  goInside,
  press,
  registered,
  someone,
  toast,
} from './steps.ts';

const { product, browser } = await openSuite();

async function post(page: Page, path: string, data: object) {
  const answer = await page.request.post(path, { data });
  expect(answer.ok()).toBe(true);
  return (await answer.json()) as { id: string; token: string };
}

/** A new organization that has an agent with another name than at first, and an article. */
async function withLog() {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  const agent = await post(page, '/api/agents', agentInput);
  const data = { name: 'Service desk' };
  expect((await page.request.put(`/api/agents/${agent.id}`, { data })).ok()).toBe(true);
  await post(page, '/api/knowledge', anArticle);
  return { page, agent };
}

/** Each has what one request caused. */
const entries = (page: Page) => page.getByRole('table', { name: 'Entries' }).locator('tbody tr');
const entry = (page: Page, text: string) => entries(page).filter({ hasText: text }).first();
const panel = (page: Page) => page.getByRole('dialog', { name: 'Request details' });

const exports = (page: Page) => dialog(page).getByRole('list', { name: 'Exports' });

/** The panel of a change: its values, the next entry, and all about the object. */
async function readChange(page: Page, agentId: string) {
  await press(entry(page, 'Agent changed'), /^View Agent changed/);
  await panel(page).locator('del', { hasText: 'Support' }).waitFor();
  await panel(page).locator('ins', { hasText: 'Service desk' }).waitFor();
  await panel(page).getByText('127.0.0.1').first().waitFor();
  await press(panel(page), 'Next');
  await panel(page).getByText('Agent created').waitFor();
  await page.reload();
  await press(panel(page), 'Show all events of this object');
  await expect.poll(() => page.url()).toContain(`object=${agentId}`);
  await expect.poll(() => entries(page).count()).toBe(2);
  await page.goBack();
  await expect.poll(() => entries(page).count()).toBeGreaterThan(2);
  await press(panel(page), 'Close');
}

/** By an event, by words, and by words that no entry has. */
async function filter(page: Page) {
  await addFilter(page, 'Event', 'Articles');
  await expect.poll(() => entries(page).count()).toBe(1);
  expect(new URL(page.url()).searchParams.get('kind')).toBe('article');
  await press(filterChips(page), /^Remove filter Event/);
  await page.getByRole('searchbox').fill('service');
  await expect.poll(() => entries(page).count()).toBe(1);
  await page.getByRole('searchbox').fill('nothing like it');
  await page.getByText('No entries match these filters').waitFor();
  await press(page, 'Clear filters');
  await expect.poll(() => entries(page).count()).toBeGreaterThan(2);
}

/** One row has all that the request of a task caused, also what the filter does not find. */
async function readTask(page: Page, agentId: string) {
  await goInside(page, '/audit?kind=TaskStarted');
  await expect.poll(() => entries(page).count()).toBe(1);
  await entry(page, 'How long?').getByText('Task started').click();
  await press(panel(page).getByRole('listitem').filter({ hasText: 'Credits charged' }), /^Details/);
  // Values that are ids have names, and lead to what they name.
  const requested = panel(page).getByRole('listitem').filter({ hasText: 'Task requested' });
  await press(requested, /^Details/);
  const named = requested.getByRole('definition').getByRole('link', { name: 'Service desk' });
  await expect.poll(() => named.getAttribute('href')).toBe(`/agents?history=${agentId}`);
  await panel(page).getByRole('link', { name: 'Ledger entry 3' }).click();
  await page.waitForURL('**/billing?tab=ledger&entry=3');
}

describe('the audit log', () => {
  it('shows who did what, newest first and live on request, with each entry beside the list', async () => {
    const { page, agent } = await withLog();
    await page.goto('/audit');
    await expect.poll(() => entries(page).first().innerText()).toContain('Article created');
    await expect.poll(() => entries(page).first().innerText()).toContain('Anna Berg');
    await entry(page, 'Agent changed').getByRole('link', { name: 'Service desk' }).waitFor();
    await readChange(page, agent.id);
    await filter(page);

    // New entries are shown at once on request, and until then the list stays unchanged.
    const before = await entries(page).count();
    await post(page, `/api/agents/${agent.id}/execute`, { input: 'How long?' });
    await page.getByRole('switch', { name: 'Live updates' }).click();
    await expect.poll(() => entries(page).count()).toBe(before + 1);
    await entry(page, 'How long?')
      .getByText(/^\+\d more events$/)
      .waitFor();
    await post(page, '/api/invitations', { email: someone(), role: 'AgentManager' });
    await entries(page).first().getByText('Invitation created').waitFor();
    // Roles are named in words, never by their codes.
    await press(entry(page, 'Invitation created'), /^View Invitation created/);
    await panel(page).getByText('Agent Manager').waitFor();
    await expect.poll(() => panel(page).innerText()).not.toContain('AgentManager');
    await readTask(page, agent.id);
    await page.getByRole('link', { name: 'Audit Log' }).click();
    await page.getByRole('heading', { name: 'Audit Log' }).waitFor();
  });
});

/** Makes an export of what the filter finds, and verifies it by the command that is shown. */
async function exportAndVerify(page: Page) {
  await dialog(page).getByLabel('Format').selectOption('CSV, for spreadsheets');
  await press(dialog(page), 'Start export');
  const made = exports(page).getByRole('listitem');
  const link = made.getByRole('link', { name: /^Download/ });
  await link.waitFor();
  for (const part of ['CSV by Anna Berg', 'Finished', 'Articles', '1 entry', 'kB']) {
    await expect.poll(() => made.innerText()).toContain(part);
  }
  const coming = page.waitForEvent('download');
  await link.click();
  const file = await (await coming).path();
  const verifier = dialog(page).getByRole('link', { name: 'Verify in the browser' });
  await expect.poll(() => verifier.getAttribute('href')).toBe('/verify');
  const command = await dialog(page).getByText('npm run audit:verify').innerText();
  const key = readPublicKey(/--key (\S+)$/.exec(command)?.[1] ?? '');
  expect(key).not.toBeNull();
  expect(await verifyBundle(file, key)).toMatchObject({ isWell: true });
}

/** Makes an export that begins with a checkpoint which was downloaded before. */
async function continueFromCheckpoint(page: Page) {
  const coming = page.waitForEvent('download');
  await dialog(page).getByRole('link', { name: 'Download checkpoint' }).click();
  const kept = await (await coming).path();
  await dialog(page).getByText('Continue from your own checkpoint').click();
  const file = dialog(page).getByLabel('Checkpoint file');
  const wrong = { name: 'other.json', mimeType: 'application/json', buffer: Buffer.from('{}') };
  await file.setInputFiles(wrong);
  await press(dialog(page), 'Start export');
  await dialog(page).getByText("This file isn't a checkpoint.").waitFor();
  await expectAccessible(page);
  const content = await readFile(kept);
  await file.setInputFiles({ ...wrong, name: 'checkpoint.json', buffer: content });
  await press(dialog(page), 'Start export');
  await exports(page).getByText('Finished').nth(1).waitFor();
  const made = await page.request.get('/api/audit/exports');
  const { size } = (await readEarlierHead(kept)).checkpoint;
  expect(await made.json()).toMatchObject([{ since: size }, { since: null }]);
}

describe('an export of the audit log', () => {
  it('reports failures and progress, covers the filters or all entries, is verified, and continues from a checkpoint', async () => {
    const { page } = await withLog();
    const list = '**/api/audit/exports';
    await page.route(list, (route) => route.fulfill({ status: 429, json: {} }));
    await page.goto('/audit?kind=article');
    await press(page, 'Export');
    await dialog(page).getByText('Entries matching the filters: Articles').waitFor();
    await dialog(page).getByText("Couldn't load this content").waitFor();
    await press(dialog(page), 'Start export');
    await toast(page, "Couldn't start the export");

    await page.unroute(list);
    await page.route(list, exportsUnderWay);
    await press(dialog(page), 'Try again');
    const progress = dialog(page).getByRole('progressbar', { name: /^Preparing the export of/ });
    await dialog(page).getByText('This export failed. Start it again.').waitFor();
    await expect.poll(() => progress.nth(1).getAttribute('aria-valuenow')).toBe('25');
    await expect.poll(() => exports(page).getByRole('listitem').allInnerTexts()).toHaveLength(3);
    await page.unroute(list);
    await dialog(page).getByText('No exports yet.').waitFor();

    await exportAndVerify(page);
    await press(dialog(page), 'Close');
    await expect.poll(() => page.url()).not.toContain('exports');
    await press(filterChips(page), /^Remove filter Event/);
    await press(page, 'Export');
    await dialog(page).getByText('All entries', { exact: true }).waitFor();
    await continueFromCheckpoint(page);
  });

  it('is also evidence of a period for a SOC 2 audit, and checkpoints that leave the server', async () => {
    const { page } = await withLog();
    await page.goto('/audit?exports=open');
    const today = new Date().toISOString().slice(0, '2026-10-01'.length);
    const disabled = dialog(page).getByRole('button', { name: 'Download evidence' });
    await expect.poll(() => disabled.isDisabled()).toBe(true);
    const [from, to] = [
      dialog(page).getByLabel('From'),
      dialog(page).getByLabel('To', { exact: true }),
    ];
    await to.fill('2999-01-01');
    await dialog(page).getByText('Choose a day up to today (UTC)').waitFor();
    await to.fill(today);
    await from.fill('2020-01-01');
    await dialog(page).getByText('The period must have at most').waitFor();
    await expectAccessible(page);
    await expect.poll(() => disabled.isDisabled()).toBe(true);
    await from.fill(today);
    const link = dialog(page).getByRole('link', { name: 'Download evidence' });
    await link.waitFor();
    const coming = page.waitForEvent('download');
    await link.click();
    expect((await coming).suggestedFilename()).toBe(`evidence-${today}-${today}.zip`);
    using bundle = await openBundle(await (await coming).path());
    expect(bundle.names).toContain('index.json.sig');

    const every = dialog(page).getByLabel('How often');
    await every.selectOption('Every day');
    // The worker may be faster.
    await dialog(page)
      .getByText(/^(The first checkpoint is published within|Last published:)/)
      .waitFor();
    const recipient = dialog(page).getByRole('checkbox');
    await recipient.click();
    await toast(page, 'Publishing changed');
    await expectAccessible(page);
    await expect.poll(() => recipient.isChecked()).toBe(true);
    const published = await (await page.request.get(getAuditPublishing.path)).json();
    expect(published).toMatchObject({ every: 'day', mailTo: [expect.any(String)] });
    await every.selectOption('Never');
    await expect.poll(() => recipient.count()).toBe(0);
  });
});
