import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { answering, isSignedBy, startReceiver } from '../testing/receiver.ts';
import { expectAccessible, openBrowser } from './browser.ts';
import { dialog, field, press, registered, toast } from './steps.ts';

let product: OwnProduct;
const browser = openBrowser();
beforeAll(async () => {
  product = await startTestProduct({
    allowPrivateHosts: '127.0.0.1',
    logStreamTimes: {
      lookMs: 50,
      retryMs: 50,
      retryMsMax: 200,
      answerMs: 2_000,
      failingMs: 86_400_000,
    },
  });
});
afterAll(() => product[Symbol.asyncDispose]());

async function exportsPage(): Promise<Page> {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  await page.goto('/audit?exports=open');
  await dialog(page).getByRole('heading', { name: 'Log stream' }).waitFor();
  return page;
}

const secretDialog = (page: Page) => page.getByRole('dialog', { name: 'Secret of the log stream' });

async function takeSecret(page: Page): Promise<string> {
  const secret = await secretDialog(page).getByRole('textbox').inputValue();
  await press(secretDialog(page), "I've copied it");
  await secretDialog(page).waitFor({ state: 'detached' });
  return secret;
}

const form = (page: Page) => dialog(page).getByRole('form');

describe('the log stream', () => {
  it('is sent to a webhook, moves to another receiver, and ends', async () => {
    await using receiver = await startReceiver();
    await using other = await startReceiver();
    const page = await exportsPage();
    await expectAccessible(page);
    await field(page, 'address').fill(receiver.url);
    await field(page, 'from').selectOption('First entry');
    await press(form(page), 'Start');
    await secretDialog(page).waitFor();
    await expectAccessible(page);
    const secret = await takeSecret(page);
    await dialog(page).getByText(`Webhook · http://${receiver.host}`).waitFor();
    await dialog(page).getByText('Up to date').waitFor();
    await dialog(page)
      .getByText(/^Sent (\d+) of \1 entries · Last sent: /)
      .waitFor();
    const [first] = receiver.received;
    expect(first && isSignedBy(secret, first)).toBe(true);
    expect(await page.content()).not.toContain(secret);

    await press(dialog(page), 'Replace receiver');
    await expectAccessible(page);
    await press(form(page), 'Cancel');
    await press(dialog(page), 'Replace receiver');
    await field(page, 'address').fill(other.url);
    await press(form(page), 'Replace');
    expect(await takeSecret(page)).not.toBe(secret);
    await dialog(page).getByText(`Webhook · http://${other.host}`).waitFor();
    await expect.poll(() => other.received.length).toBeGreaterThan(0);

    await press(dialog(page), 'End stream');
    await expectAccessible(page);
    await press(page.getByRole('alertdialog'), 'End log stream');
    await toast(page, 'Log stream ended');
    await field(page, 'address').waitFor();
  });

  it('shows why its receiver refuses entries, until it accepts them', async () => {
    await using receiver = await startReceiver(answering(503));
    const page = await exportsPage();
    await field(page, 'address').fill(receiver.url);
    await press(form(page), 'Start');
    await takeSecret(page);
    await dialog(page).getByText('It answered 503.').waitFor();
    await dialog(page)
      .getByText(/^Failing since /)
      .waitFor();
    await dialog(page).getByText('Nothing sent yet').waitFor();
    await expectAccessible(page);
    receiver.answerWith(answering(204));
    await dialog(page).getByText('Up to date').waitFor();
  });

  it('has the fields of its kind, and what is wrong at them', async () => {
    const page = await exportsPage();
    await field(page, 'address').fill('siem.example.com');
    await press(form(page), 'Start');
    await dialog(page).getByText('Enter a full address of at most 2,000 characters').waitFor();
    await expect.poll(() => field(page, 'address').getAttribute('aria-invalid')).toBe('true');
    await expectAccessible(page);
    // This one is refused by the server.
    await field(page, 'address').fill('http://10.0.0.1:8080/');
    await press(form(page), 'Start');
    await dialog(page).getByText('10.0.0.1 leads to a private address.').waitFor();

    await field(page, 'kind').selectOption('Syslog over TLS');
    await press(form(page), 'Start');
    await dialog(page).getByText('The address must begin with tls://').waitFor();
    await field(page, 'certificateAuthority').fill('not a certificate');
    await field(page, 'address').fill('tls://127.0.0.1:9');
    await press(form(page), 'Start');
    await dialog(page).getByText('Enter certificates in PEM').waitFor();
    await expectAccessible(page);

    await field(page, 'kind').selectOption('Splunk');
    await field(page, 'address').fill('http://127.0.0.1:9');
    await press(form(page), 'Start');
    await dialog(page).getByText('Splunk needs a token').waitFor();
    await expect.poll(() => field(page, 'token').getAttribute('type')).toBe('password');
    await expectAccessible(page);
    await field(page, 'token').fill('b2c4');
    await press(form(page), 'Start');
    await dialog(page).getByText('Splunk · http://127.0.0.1:9').waitFor();
    expect(await page.content()).not.toContain('b2c4');
  });
});
