import { readPublicKey } from '@tallyhand/service-kit/audit-bundle/public-key';
import { verifyBundle } from '@tallyhand/service-kit/audit-bundle/verify';
import { agentWithArticle, registerOrganization } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { auditorCalls, endAccessAt, inDays, joinUpTo } from '../testing/auditors.ts';
import { expectAccessible, openSuite, pageOf } from './browser.ts';
import {
  chooseFromMenu,
  dialog,
  dialogIsGone,
  field,
  fillRegistration,
  goInside,
  press,
  someone,
} from './steps.ts';

const { product, browser } = await openSuite();

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

/** An organization with an agent, and the page of an Auditor of it. */
async function withAuditor() {
  const { client: admin } = await registerOrganization(product.url);
  const { agent } = await agentWithArticle(admin);
  const { client, userId } = await joinUpTo(admin, product.url, inDays(3));
  return { admin, agent, userId, page: await pageOf(client, product.url, browser) };
}

/** Invites an Auditor up to a day in a week, in the dialog; returns the path of the link. */
async function invite(admin: Page, email: string): Promise<string> {
  await press(admin, 'Invite Member');
  await field(admin, 'email').fill(email);
  await expect.poll(() => field(admin, 'lastDay').count()).toBe(0);
  await field(admin, 'role').selectOption('Auditor');
  await expect.poll(() => field(admin, 'lastDay').inputValue()).toBe(inDays(30));
  await field(admin, 'lastDay').fill(inDays(7));
  await expectAccessible(admin);
  await press(dialog(admin), /^Invite$/);
  await dialog(admin).getByText('Invitation ready').waitFor();
  const link = new URL(await dialog(admin).getByRole('textbox').inputValue());
  await press(dialog(admin), 'Done');
  await dialogIsGone(admin);
  return link.pathname + link.search;
}

/** The Admin sees the last day of an Auditor, and chooses a later one. */
async function changeLastDay(admin: Page, name: string) {
  await admin.getByText(/^Until /).waitFor();
  await chooseFromMenu(admin, name, 'Edit Role');
  await field(admin, 'lastDay').fill(inDays(20));
  await press(dialog(admin), 'Save role');
  const year = inDays(20).slice(0, 4);
  const day = Number(inDays(20).slice(8));
  await admin.getByText(new RegExp(`^Until .*${day}, ${year}$`)).waitFor();
  await expectAccessible(admin);
}

describe('an Auditor', () => {
  it('is invited up to a day, which an Admin moves, begins at the audit log, and exports what the verifier accepts', async () => {
    const { client: owner } = await registerOrganization(product.url);
    await agentWithArticle(owner);
    const admin = await pageOf(owner, product.url, browser);
    await admin.goto('/team');
    const email = someone();
    const page = await browser.newPage(product.url);
    await page.goto(await invite(admin, email));
    await page.getByText(/Your access ends after \w+ \d+, \d{4} \(UTC\)\./).waitFor();
    await fillRegistration(page, { email });
    await page.waitForURL('**/audit');
    await heading(page, 'Your audit, step by step').waitFor();
    const menu = page.getByRole('navigation', { name: 'Main menu' }).getByRole('link');
    await expect
      .poll(() => menu.allInnerTexts())
      .toEqual(['Billing', 'Audit Log', 'Object History']);
    const entries = page.getByRole('table', { name: 'Entries' });
    await entries.getByText('Agent created').waitFor();
    await expectAccessible(page);

    // What to do is dismissed for good.
    await press(page, 'Got it');
    await heading(page, 'Your audit, step by step').waitFor({ state: 'detached' });
    await page.reload();
    await entries.waitFor();
    await expect.poll(() => heading(page, 'Your audit, step by step').count()).toBe(0);

    await press(page, 'Export');
    await press(dialog(page), 'Start export');
    const download = dialog(page)
      .getByRole('link', { name: /^Download the export/ })
      .first();
    await download.waitFor();
    const [saved] = await Promise.all([page.waitForEvent('download'), download.click()]);
    const command = await dialog(page).getByText('npm run audit:verify').innerText();
    const key = readPublicKey(/--key (\S+)$/.exec(command)?.[1] ?? '');
    expect(await verifyBundle(await saved.path(), key)).toMatchObject({ isWell: true });
    await changeLastDay(admin, `Person ${email.slice(0, 4)}`);
  });

  it('opens the ledger and object histories and no other page, and reads when the access ended', async () => {
    const { page, agent, admin, userId } = await withAuditor();
    await page.goto('/audit');
    await page.getByRole('link', { name: agent.name }).first().click();
    await page.waitForURL(`**/histories?kind=agent&id=${agent.id}`);
    await dialog(page)
      .getByRole('heading', { name: /^Created/ })
      .waitFor();
    await expectAccessible(page);
    await goInside(page, '/billing');
    await heading(page, 'Ledger').first().waitFor();
    await page.getByText('Sign-up').first().waitFor();
    await expectAccessible(page);
    for (const path of ['/tasks', '/agents', '/team', '/settings/models', `/agent/${agent.id}`]) {
      await goInside(page, path);
      await page.waitForURL(`**${path}`);
      await heading(page, 'Access Restricted').waitFor();
      // Between two pages that say the same.
      await goInside(page, '/histories?kind=playbook');
      await page.getByText('Nothing here yet').waitFor();
    }
    // By its address, as from a bookmark.
    await page.goto('/dashboard');
    await page.waitForURL('**/audit');
    await goInside(page, '/settings');
    await expect.poll(() => page.getByRole('tab').allInnerTexts()).toEqual(['Profile', 'Security']);
    // Nothing that the pages asked for was refused: that would be an entry, too.
    const calls = await auditorCalls(admin);
    expect(calls.every(({ by }) => by === userId)).toBe(true);
    const refused = await admin.send<unknown[]>('GET', '/api/audit', {
      query: { kind: 'CallRefused' },
    });
    expect(refused.body).toEqual([]);

    await endAccessAt(product.config.databaseUrl, userId, `${inDays(0)}T00:00:00Z`);
    await page.goto('/audit');
    await heading(page, 'Access ended').waitFor();
    await page.getByText(`Your access as an auditor ended on ${inDays(-1)}.`).waitFor();
    await expectAccessible(page);
    await press(page, 'Sign out');
    await page.waitForURL('**/auth');
    await field(page, 'email').waitFor();
  });
});
