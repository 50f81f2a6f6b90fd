import { createHash } from 'node:crypto';
import { registerOrganization } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { newKey } from '../testing/members.ts';
import { expectAccessible, openSuite } from './browser.ts';
import { press } from './steps.ts';

const { product, browser } = await openSuite();

/** The page with one call open, and the form that sends it. */
async function trialOf(call: string, page: Page) {
  await page.goto(`/api#${call}`);
  const details = page.locator(`#${call}`);
  await details.getByRole('button', { name: 'Try it' }).click();
  await details.getByRole('button', { name: 'Send' }).waitFor();
  return details;
}

/** Only calls with these words, so that the analysis of what is open need not take in all of them. */
const narrow = (page: Page, words: string) => page.getByRole('searchbox').fill(words);

describe('the API reference', () => {
  it('shows a call by its address, with a request in the language that was chosen, and is searched by keyboard', async () => {
    const page = await browser.newPage(product.url, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.goto('/api#executeTask');
    const call = page.locator('#executeTask');
    const copied = () => page.evaluate('navigator.clipboard.readText()');
    await call.getByRole('button', { name: 'Copy: Request', exact: true }).click();
    await expect.poll(copied).toContain(`curl '${product.url}/api/agents/`);
    await expectAccessible(page);
    await call.getByText('Python').first().click();
    await call.getByRole('button', { name: 'Copy: Request', exact: true }).click();
    await expect.poll(copied).toContain('import requests');
    await page.goto('/api#listAgents');
    await page.reload();
    await page.locator('#listAgents').getByText('import requests').waitFor();

    const search = page.getByRole('searchbox');
    await search.fill('webhook-endpoints rotate-secret');
    await page.getByText('1 match', { exact: true }).waitFor();
    await search.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('#rotateWebhookSecret').getByText('Access:').waitFor();
    await search.fill('nothing of this name');
    await page.getByText('0 matches').waitFor();
    await expectAccessible(page);
    await press(page, 'Show all');
    await page.locator('#listAgents').waitFor();
  });

  it('sends a call with a pasted key, which it stores nowhere, asks before one changes something, and shows refusals', async () => {
    const { client } = await registerOrganization(product.url);
    const [key, weakKey] = await Promise.all(
      (['Editor', 'Viewer'] as const).map(async (role) => (await newKey(client, role)).key),
    );
    const page = await browser.newPage(product.url);
    const list = await trialOf('listAgents', page);
    await list.getByRole('button', { name: 'Send' }).click();
    await list.getByText('Enter a value.').waitFor();
    await list.getByLabel('API key').fill(key ?? '');
    await list.getByRole('button', { name: 'Send' }).click();
    await list.getByText('200').first().waitFor();
    await narrow(page, 'listAgents');
    await list.getByText('200').first().waitFor();
    await expectAccessible(page);
    const stored = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])';
    await expect.poll(() => page.evaluate(stored)).not.toContain(key);
    await expect.poll(() => page.url()).not.toContain(key);

    // Another key, on a phone in the dark.
    await narrow(page, '');
    await page.setViewportSize({ width: 375, height: 812 });
    await page.emulateMedia({ colorScheme: 'dark' });
    const create = await trialOf('createAgent', page);
    await create.getByLabel('API key').fill(weakKey ?? '');
    await create.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Send' }).click();
    await create.getByText('key-reads-only').first().waitFor();
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    await expect.poll(() => page.evaluate(overflow)).toBeLessThanOrEqual(0);
    await narrow(page, 'createAgent');
    await create.getByText('key-reads-only').first().waitFor();
    await expectAccessible(page);
  });

  it('reports that no answer arrived, and shows how to install packages that it serves, with their checksums', async () => {
    const page = await browser.newPage(product.url);
    const status = await trialOf('getStatus', page);
    browser.mayComplain(/ERR_FAILED/);
    await page.route('**/api/status', (route) => route.abort());
    await status.getByRole('button', { name: 'Send' }).click();
    await status.getByText('No response').waitFor();

    await page.getByText('Install the client library or the command line').click();
    const lines = page.locator('pre', { hasText: 'npm install' });
    const shown = await lines.allInnerTexts();
    expect(shown).toHaveLength(2);
    for (const line of shown) {
      const address = line.split(' ').at(-1) ?? '';
      expect(address.startsWith(`${product.url}/downloads/`)).toBe(true);
      const bytes = Buffer.from(await (await fetch(address)).arrayBuffer());
      const hash = createHash('sha512').update(bytes).digest('base64');
      await page.getByText(`sha512-${hash}`).waitFor();
    }
    await narrow(page, 'getStatus');
    await expectAccessible(page);
  });
});
