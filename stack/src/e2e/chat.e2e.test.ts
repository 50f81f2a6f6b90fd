import {
  type Answering,
  openAiPeer,
  type Peer,
  StreamedCompletion,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { agentInput } from '@tallyhand/test-kit/api-client';
import { sampleName, sampleOf } from '@tallyhand/test-kit/cases';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, openSuite } from './browser.ts';
import {
  chooseFromMenu,
  dialog,
  dialogIsGone,
  goInside,
  press,
  registered,
  toast,
} from './steps.ts';

const { product, browser } = await openSuite();
let peer: Peer;
/** How the model of `modelChat` behaves in a test. */
let answering: Answering;
beforeAll(async () => {
  peer = await openAiPeer((...args) => answering(...args));
});
afterAll(() => peer?.[Symbol.asyncDispose]());

const question = 'Within how many days can items be returned?';
const field = (page: Page) => page.getByRole('textbox', { name: 'Message' });
const log = (page: Page) => page.getByRole('log');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const greeting = (page: Page) => log(page).getByText("Hello! I'm Support").waitFor();

const made = async (page: Page, path: string, data: object): Promise<string> =>
  (await (await page.request.post(path, { data })).json()).id;

/** A member's page, and an agent that has an article to answer from. */
async function withAgent() {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour');
  await made(page, '/api/knowledge', {
    title: 'Returns',
    category: 'General',
    isPublic: true,
    content: 'Items can be returned within 30 days of delivery.',
  });
  return { page, agentId: await made(page, '/api/agents', agentInput) };
}

async function openChat({ page, agentId }: { page: Page; agentId: string }): Promise<Page> {
  await page.goto(`/agent/${agentId}`);
  await greeting(page);
  return page;
}

/** The chat with an agent whose model is the peer. */
async function modelChat(): Promise<Page> {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour');
  const connectionId = await made(page, '/api/connections', {
    name: 'Peers',
    provider: 'other',
    baseUrl: peer.baseURL,
    models: ['peer'],
    apiKey: 'the-key',
  });
  const agent = { ...agentInput, model: { connectionId } };
  return openChat({ page, agentId: await made(page, '/api/agents', agent) });
}

const chips = (page: Page) => page.locator('form').getByRole('list', { name: 'Attached files' });

const chooseFile = (page: Page, name: string, mimeType: string, content: string) =>
  page
    .locator('form input[type=file]')
    .setInputFiles({ name, mimeType, buffer: Buffer.from(content) });

describe('the field of a message', () => {
  it(`refuses what is too long, takes files, and fits a phone (${sampleName()})`, async () => {
    const page = await openChat(await withAgent());
    await page.getByText('Ctrl+Enter also sends').waitFor();
    await field(page).fill('x'.repeat(8_001));
    await page.getByText('Message must be at most 8000 characters').waitFor();
    await field(page).press('Enter');
    await expect.poll(() => field(page).inputValue()).toHaveLength(8_001);
    await expect.poll(() => button(page, 'Send').isEnabled()).toBe(false);
    await expectAccessible(page);
    await field(page).press('Backspace');
    await page.getByText('Press Enter to send').waitFor();
    await expect.poll(() => button(page, 'Send').isEnabled()).toBe(true);

    await chooseFile(page, 'picture.png', 'image/png', '<svg/>');
    await chips(page).getByText("This file type isn't supported").waitFor();
    await button(page, 'Remove picture.png').click();
    await chips(page).waitFor({ state: 'detached' });
    const offer = '# Offer\n\nThe tent is delivered within nine days.';
    await chooseFile(page, 'offer.md', 'text/markdown', offer);
    await page.getByRole('status').getByText('offer.md is attached.').waitFor();
    await expectAccessible(page);
    const upload = Promise.withResolvers<void>();
    await page.route('**/api/attachments', async (route) => {
      await upload.promise;
      await route.continue();
    });
    await chooseFile(page, 'notes.md', 'text/markdown', '# Notes\n\nThe tent is green.');
    await field(page).fill('Within how many days is the tent delivered?');
    await field(page).press('Control+Enter');
    await page.getByText('Your message is sent once its files are uploaded.').waitFor();
    upload.resolve();
    await log(page).getByText('nine days').first().waitFor();
    await chips(page).waitFor({ state: 'detached' });
    await log(page).getByRole('button', { name: 'Open offer.md' }).click();
    await dialog(page).getByText('The tent is delivered within nine days.').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialogIsGone(page);

    await press(page, 'New conversation');
    await page.setViewportSize({ width: 375, height: 812 });
    for (const [at, colorScheme] of sampleOf(['light', 'dark'] as const, 2).entries()) {
      await page.emulateMedia({ colorScheme });
      await field(page).fill(question);
      await press(page, 'Send');
      // After the greeting, each turn adds a question and its reply.
      const reply = log(page)
        .getByRole('article')
        .nth(2 * at + 2);
      await reply.getByText('30 days').first().waitFor();
      await expectAccessible(page);
      const wider = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      await expect.poll(() => page.evaluate(wider)).toBe(0);
    }
  });
});

describe('the chat with an agent', () => {
  it('answers by keyboard from sources, and its conversations are kept, renamed and deleted', async () => {
    const page = await openChat(await withAgent());
    await field(page).fill(question);
    await field(page).press('Shift+Enter');
    await field(page).press('Enter');
    await log(page).getByText('30 days').first().waitFor();
    await log(page).getByText('Returns', { exact: true }).waitFor();
    await page.getByText('Press Enter to send').waitFor();
    await expect.poll(() => field(page).inputValue()).toBe('');
    await page.waitForURL('**?c=*');

    await log(page).getByRole('button', { name: 'Source 1: Returns' }).click();
    const passage = dialog(page);
    await passage.getByText('Items can be returned within 30 days of delivery.').waitFor();
    await passage.getByRole('link', { name: 'Open article' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialogIsGone(page);
    await log(page).getByRole('button', { name: 'Regenerate (free)' }).waitFor();

    // It is read again, which is retried while the sign-in is unknown.
    await page.route('**/api/user', (route) => route.fulfill({ status: 429, json: {} }));
    await page.reload();
    await page.getByText("Couldn't load this content").waitFor();
    await page.unroute('**/api/user');
    await press(page, 'Try again');
    await greeting(page);
    await log(page).getByText(question).waitFor();
    await log(page).getByText('30 days').first().waitFor();
    await expectAccessible(page);

    await press(page, 'New conversation');
    await log(page).getByText(question).waitFor({ state: 'detached' });
    await chooseFromMenu(page, question, 'Rename');
    await dialog(page).getByRole('textbox').fill('Sending back');
    await press(dialog(page), 'Save');
    await dialogIsGone(page);
    await press(page, /^Sending back$/);
    await log(page).getByText('30 days').first().waitFor();
    await chooseFromMenu(page, 'Sending back', 'Delete');
    await press(page.getByRole('alertdialog'), 'Delete');
    await toast(page, 'Conversation deleted');
    await page.getByText('Only you can read them.').waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  it('works in a dialog and on its page, but not with a paused or unknown agent or for a visitor', async () => {
    const { page, agentId } = await withAgent();
    await page.goto('/agents');
    const open = () => chooseFromMenu(page, 'Support', 'Chat with Agent');
    const inDialog = dialog(page).getByRole('textbox', { name: 'Message' });
    await open();
    await inDialog.press('Enter');
    await inDialog.fill(question);
    await inDialog.press('Enter');
    await log(page).getByText('30 days').first().waitFor();
    await log(page).getByText('Returns', { exact: true }).waitFor();
    await expect.poll(() => log(page).getByRole('article').count()).toBe(2);
    await expectAccessible(page);
    await press(dialog(page), 'Close');
    await dialogIsGone(page);
    await open();
    await expect.poll(() => log(page).getByRole('article').count()).toBe(0);
    await dialog(page).getByRole('link', { name: 'All conversations' }).click();
    await press(page, new RegExp(`^${question.slice(0, 20)}`));
    await log(page).getByText('30 days').first().waitFor();

    await page.request.put(`/api/agents/${agentId}`, { data: { isActive: false } });
    await page.getByText('Paused', { exact: true }).waitFor();
    await expect.poll(() => field(page).isDisabled()).toBe(true);
    await expectAccessible(page);
    await page.getByRole('main').getByRole('link', { name: 'Back' }).click();
    await press(page, 'Actions for Support');
    const item = page.getByRole('menuitem', { name: 'Chat with Agent' });
    await expect.poll(() => item.getAttribute('aria-disabled')).toBe('true');

    await goInside(page, `/agent/${crypto.randomUUID()}`);
    await page.getByText('Agent Not Found').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Back to Agents' }).click();
    await page.waitForURL('**/agents');
    await page.context().clearCookies();
    await page.goto(`/agent/${agentId}`);
    await page.getByText('Sign in Required').waitFor();
    await expectAccessible(page);
  });
});

/** The model sends what the test gives it, until the test ends it. */
function modelWrites() {
  const opened = Promise.withResolvers<StreamedCompletion>();
  const gone = Promise.withResolvers<void>();
  answering = (response) => {
    response.once('close', () => gone.resolve());
    opened.resolve(new StreamedCompletion(response));
  };
  return { stream: opened.promise, gone: gone.promise };
}

async function say(page: Page, text: string) {
  await field(page).fill(text);
  await press(page, 'Send');
}

const stopped = (page: Page) => log(page).getByText('Stopped', { exact: true }).waitFor();

describe('a reply of a model', () => {
  it('appears as it is written, formatted; is stopped, and requested again, also when it failed', async () => {
    const page = await modelChat();
    const { stream } = modelWrites();
    await say(page, 'Hello');
    await log(page).getByText('Hello', { exact: true }).waitFor();
    await page.getByText('Support is typing...').first().waitFor();
    await expect.poll(() => field(page).isDisabled()).toBe(true);
    const reply = await stream;
    reply.say('It is **thirty');
    await log(page).getByText('It is').waitFor();
    await expectAccessible(page);
    reply.say(' days** at least.');
    await log(page).locator('strong', { hasText: 'thirty days' }).waitFor();
    reply.end();
    await page.getByRole('status').getByText('thirty days').waitFor({ state: 'attached' });
    await expect.poll(() => field(page).isEnabled()).toBe(true);
    await expect.poll(() => field(page).evaluate((it) => it.matches(':focus'))).toBe(true);
    await expect.poll(() => log(page).getByText('at least').count()).toBe(1);

    const first = modelWrites();
    await say(page, 'Go on');
    (await first.stream).say('As far as');
    await log(page).getByText('As far as').waitFor();
    await button(page, 'Stop').click();
    await first.gone;
    await stopped(page);
    await page.reload();
    await log(page).getByText('As far as').waitFor();
    await stopped(page);
    const second = modelWrites();
    await button(page, 'Regenerate (free)').click();
    await log(page).getByText('As far as').waitFor({ state: 'detached' });
    (await second.stream).say('The whole answer.').end();
    await button(page, 'Regenerate (free)').waitFor();
    await expect.poll(() => log(page).getByRole('article').allInnerTexts()).toHaveLength(5);
    await log(page).getByText('The whole answer.').waitFor();
    await expectAccessible(page);

    answering = (response) => sendJson(response, 401, { error: { message: 'no' } });
    await say(page, 'And then?');
    await toast(page, 'Chat error');
    await page.getByText('This message has no reply.').waitFor();
    await expectAccessible(page);
    const third = modelWrites();
    await button(page, 'Try again').click();
    (await third.stream).say('Here I am.').end();
    await log(page).getByText('Here I am.').waitFor();
    await page.getByText('This message has no reply.').waitFor({ state: 'detached' });
  });

  it('stops when the member leaves its page or stops it elsewhere; an empty reply is replaced by a sentence', async () => {
    const page = await modelChat();
    const left = modelWrites();
    await say(page, 'Hello');
    (await left.stream).say('As far as');
    await log(page).getByText('As far as').waitFor();
    await press(page, 'New conversation');
    await left.gone;
    await log(page).getByText('As far as').waitFor({ state: 'detached' });
    await press(page, /^Hello$/);
    await stopped(page);

    await press(page, 'New conversation');
    await log(page).getByText('As far as').waitFor({ state: 'detached' });
    await page.waitForURL((url) => url.search === '');
    const { stream, gone } = modelWrites();
    await say(page, 'Elsewhere');
    (await stream).say('So far');
    await page.waitForURL('**?c=*');
    const other = await browser.newPage(product.url);
    await other.context().addCookies(await page.context().cookies());
    await other.goto(page.url());
    await other.getByText('Support is typing...').first().waitFor();
    await expect.poll(() => field(other).isDisabled()).toBe(true);
    await button(other, 'Stop').click();
    await gone;
    await log(other).getByText('So far').waitFor();
    await stopped(page);

    await page.getByRole('main').getByRole('link', { name: 'Back' }).click();
    await chooseFromMenu(page, 'Support', 'Chat with Agent');
    await page.route('**/chat', (route) => {
      const ids = { conversationId: crypto.randomUUID(), messageId: crypto.randomUUID() };
      const reply = { ...ids, response: '', sources: [], toolCalls: [], stopped: false };
      const text = (event: string, data: object) =>
        `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
      const body = text('started', ids) + text('reply', reply);
      return route.fulfill({ contentType: 'text/event-stream', body });
    });
    await dialog(page).getByRole('textbox', { name: 'Message' }).fill('Hello');
    await press(dialog(page), 'Send');
    await log(page).getByText('I received your message.', { exact: true }).waitFor();
  });
});
