import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { answering, isSignedBy, startReceiver } from '../testing/receiver.ts';
import { expectAccessible, openSuite } from './browser.ts';
import { dialog, field, press, registered, toast } from './steps.ts';

const { product, browser } = await openSuite();

const secretDialog = (page: Page) => page.getByRole('dialog', { name: 'Secret of the log stream' });

async function takeSecret(page: Page): Promise<string> {
  const secret = await secretDialog(page).getByRole('textbox').inputValue();
  await press(secretDialog(page), "I've copied it");
  await secretDialog(page).waitFor({ state: 'detached' });
  return secret;
}

const form = (page: Page) => dialog(page).getByRole('form');

/** Goes through the fields of each kind, and starts a stream to a Splunk that does not answer. */
async function startAfterMistakes(page: Page) {
  await field(page, 'address').fill('siem.example.com');
  await press(form(page), 'Start');
  await dialog(page).getByText('Enter a full address of at most 2,000 characters').waitFor();
  await expect.poll(() => field(page, 'address').getAttribute('aria-invalid')).toBe('true');
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
  await field(page, 'token').fill('only-splunk-knows-it');
  await field(page, 'from').selectOption('First entry');
  await press(form(page), 'Start');
  await dialog(page).getByText('Splunk · http://127.0.0.1:9').waitFor();
  expect(await page.content()).not.toContain('only-splunk-knows-it');
}

async function replaceReceiver(page: Page, url: string) {
  await press(dialog(page), 'Replace receiver');
  await field(page, 'kind').selectOption('Webhook');
  await field(page, 'address').fill(url);
  await press(form(page), 'Replace');
  await secretDialog(page).waitFor();
}

describe('the log stream', () => {
  it('starts once its fields are right, shows why a receiver refuses entries, moves to others, ends, and starts again', async () => {
    await using receiver = await startReceiver(answering(503));
    await using other = await startReceiver();
    const page = await browser.newPage(product.url);
    await registered(page, 'Harbour Books');
    await page.goto('/audit?exports=open');
    await dialog(page).getByRole('heading', { name: 'Log stream' }).waitFor();
    await startAfterMistakes(page);

    await press(dialog(page), 'Replace receiver');
    await expectAccessible(page);
    await press(form(page), 'Cancel');
    await replaceReceiver(page, receiver.url);
    await expectAccessible(page);
    const secret = await takeSecret(page);
    await dialog(page).getByText(`Webhook · http://${receiver.host}`).waitFor();
    await dialog(page).getByText('It answered 503.').waitFor();
    await dialog(page)
      .getByText(/^Failing since /)
      .waitFor();
    await dialog(page).getByText('Nothing sent yet').waitFor();

    receiver.answerWith(answering(204));
    await dialog(page).getByText('Up to date').waitFor();
    await dialog(page)
      .getByText(/^Sent (\d+) of \1 entries · Last sent: /)
      .waitFor();
    const [first] = receiver.received;
    expect(first && isSignedBy(secret, first)).toBe(true);
    expect(await page.content()).not.toContain(secret);

    await replaceReceiver(page, other.url);
    expect(await takeSecret(page)).not.toBe(secret);
    await dialog(page).getByText(`Webhook · http://${other.host}`).waitFor();
    await expect.poll(() => other.received.length).toBeGreaterThan(0);

    await press(dialog(page), 'End stream');
    await expectAccessible(page);
    await press(page.getByRole('alertdialog'), 'End log stream');
    await toast(page, 'Log stream ended');

    // A webhook that starts the stream shows a secret, too; the entries stay as preselected.
    await field(page, 'address').fill(receiver.url);
    await press(form(page), 'Start');
    expect(await takeSecret(page)).not.toBe(secret);
    await dialog(page).getByText(`Webhook · http://${receiver.host}`).waitFor();
    await dialog(page).getByText('Up to date').waitFor();
  });
});
