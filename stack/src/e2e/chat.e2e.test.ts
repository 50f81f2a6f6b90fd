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
import {
  type OwnProduct,
  sharedProduct,
  startTestProduct,
  type TestProduct,
} from '../testing/product.ts';
import { expectAccessible, openBrowser } from './browser.ts';
import { chooseFromMenu, dialog, dialogIsGone, press, registered, toast } from './steps.ts';

let product: TestProduct;
let modelled: OwnProduct;
let peer: Peer;
const browser = openBrowser();
/** How the model of `modelled` behaves in a test. */
let answering: Answering;
beforeAll(async () => {
  product = await sharedProduct();
  peer = await openAiPeer((...args) => answering(...args));
  const model = { openAiBaseUrl: peer.baseURL, openAiModel: 'peer' };
  modelled = await startTestProduct({ model });
});
afterAll(async () => {
  for (const one of [modelled, peer]) await one[Symbol.asyncDispose]();
});

const question = 'Within how many days can items be returned?';
const field = (page: Page) => page.getByRole('textbox', { name: 'Message' });
const log = (page: Page) => page.getByRole('log');

type ChatPage = { page: Page; agentId: string };

/** A member's page with an agent that has an article to answer from. */
async function chatPage(options = {}, url = product.url): Promise<ChatPage> {
  const page = await browser.newPage(url, options);
  await registered(page, 'Harbour');
  const post = async (path: string, data: object) =>
    (await page.request.post(path, { data })).json();
  await post('/api/knowledge', {
    title: 'Returns',
    category: 'General',
    isPublic: true,
    content: 'Items can be returned within 30 days of delivery.',
  });
  const { id } = await post('/api/agents', agentInput);
  await page.goto(`/agent/${id}`);
  await log(page).getByText("Hello! I'm Support").waitFor();
  return { page, agentId: id };
}

describe('files in a chat', () => {
  const chips = (page: Page) => page.locator('form').getByRole('list', { name: 'Attached files' });

  it('are attached, refused, removed, sent, answered from and opened', async () => {
    const { page } = await chatPage();
    const choose = (name: string, mimeType: string, content: string) =>
      page
        .locator('form input[type=file]')
        .setInputFiles({ name, mimeType, buffer: Buffer.from(content) });
    await choose('picture.png', 'image/png', '<svg/>');
    await chips(page).getByText("This file type isn't supported").waitFor();
    await page.getByRole('button', { name: 'Remove picture.png' }).click();
    await chips(page).waitFor({ state: 'detached' });
    await choose('offer.md', 'text/markdown', '# Offer\n\nThe tent is delivered within nine days.');
    await page.getByRole('status').getByText('offer.md is attached.').waitFor();
    await expectAccessible(page);
    const upload = Promise.withResolvers<void>();
    await page.route('**/api/attachments', async (route) => {
      await upload.promise;
      await route.continue();
    });
    await choose('notes.md', 'text/markdown', '# Notes\n\nThe tent is green.');
    await field(page).fill('Within how many days is the tent delivered?');
    await field(page).press('Enter');
    await page.getByText('Your message is sent once its files are uploaded.').waitFor();
    upload.resolve();
    await log(page).getByText('nine days').first().waitFor();
    await chips(page).waitFor({ state: 'detached' });
    await log(page).getByRole('button', { name: 'Open offer.md' }).click();
    await dialog(page).getByText('The tent is delivered within nine days.').waitFor();
    await expectAccessible(page);
    await page.close();
  });
});

describe('the chat with an agent', () => {
  it('answers by keyboard, names its sources, and keeps the conversation', async () => {
    const { page } = await chatPage();
    await field(page).fill(question);
    await field(page).press('Shift+Enter');
    await field(page).press('Enter');
    await log(page).getByText('30 days').first().waitFor();
    await log(page).getByText('Returns', { exact: true }).waitFor();
    await page.getByText('Press Enter to send').waitFor();
    await expect.poll(() => field(page).inputValue()).toBe('');
    await page.waitForURL('**?c=*');
    await page.reload();
    await log(page).getByText(question).waitFor();
    await log(page).getByText('30 days').first().waitFor();
    await expectAccessible(page);
  });

  it('sends with Ctrl+Enter, cites its sources beside the sentences, and copies its answers', async () => {
    const { page } = await chatPage();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByText('Ctrl+Enter also sends').waitFor();
    await field(page).fill(question);
    await field(page).press('Control+Enter');
    await log(page).getByRole('button', { name: 'Source 1: Returns' }).click();
    const passage = dialog(page);
    await passage.getByText('Items can be returned within 30 days of delivery.').waitFor();
    await passage.getByRole('link', { name: 'Open article' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialogIsGone(page);
    await press(log(page), 'Copy');
    await toast(page, 'Answer copied');
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toContain('> Items can be returned within 30 days of delivery.');
    await log(page).getByRole('button', { name: 'Regenerate (free)' }).waitFor();
  });

  it('begins new conversations, renames and deletes them', async () => {
    const { page } = await chatPage();
    await field(page).fill(question);
    await press(page, 'Send');
    await page.waitForURL('**?c=*');
    await press(page, 'New conversation');
    await log(page).getByText(question).waitFor({ state: 'detached' });
    await press(page, `Actions for ${question}`);
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await dialog(page).getByRole('textbox').fill('Sending back');
    await press(dialog(page), 'Save');
    await dialogIsGone(page);
    await press(page, /^Sending back$/);
    await log(page).getByText('30 days').first().waitFor();
    await press(page, 'Actions for Sending back');
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await press(page.getByRole('alertdialog'), 'Delete');
    await toast(page, 'Conversation deleted');
    await page.getByText('Only you can read them.').waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  it('keeps a message that is too long, and reports it at the field', async () => {
    const { page } = await chatPage();
    await field(page).fill('x'.repeat(8_001));
    await page.getByText('Message must be at most 8000 characters').waitFor();
    await field(page).press('Enter');
    await expect.poll(() => field(page).inputValue()).toHaveLength(8_001);
    await expect
      .poll(() => page.getByRole('button', { name: 'Send', exact: true }).isEnabled())
      .toBe(false);
    await expectAccessible(page);
    await field(page).press('Backspace');
    await page.getByText('Press Enter to send').waitFor();
    await expect
      .poll(() => page.getByRole('button', { name: 'Send', exact: true }).isEnabled())
      .toBe(true);
  });

  it('accepts no message while the agent is paused', async () => {
    const { page, agentId } = await chatPage();
    await page.request.put(`/api/agents/${agentId}`, { data: { isActive: false } });
    await page.getByText('Paused', { exact: true }).waitFor();
    await expect.poll(() => field(page).isDisabled()).toBe(true);
    await expectAccessible(page);
  });

  it('is retried while the sign-in is unknown', async () => {
    const { page } = await chatPage();
    await page.route('**/api/user', (route) => route.fulfill({ status: 429, json: {} }));
    await page.reload();
    await page.getByText("Couldn't load this content").waitFor();
    await page.unroute('**/api/user');
    await page.getByRole('button', { name: 'Try again' }).click();
    await log(page).getByText("Hello! I'm Support").waitFor();
  });

  it('asks visitors to sign in, and reports an unknown agent', async () => {
    const { page, agentId } = await chatPage();
    const stranger = await browser.newPage(product.url);
    await stranger.goto(`/agent/${agentId}`);
    await stranger.getByText('Sign in Required').waitFor();
    await expectAccessible(stranger);
    await page.goto(`/agent/${crypto.randomUUID()}`);
    await page.getByText('Agent Not Found').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Back to Agents' }).click();
    await page.waitForURL('**/agents');
  });

  it.each(sampleOf(['light', 'dark'] as const, 2))(
    `fits a phone in %s colours (${sampleName()})`,
    async (colorScheme) => {
      const { page } = await chatPage({ colorScheme, viewport: { width: 375, height: 812 } });
      await field(page).fill(question);
      await press(page, 'Send');
      await log(page).getByText('30 days').first().waitFor();
      await expectAccessible(page);
      const wider = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      await expect.poll(() => page.evaluate(wider)).toBe(0);
    },
  );
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

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describe('a reply of a model', () => {
  it('appears as it is written, formatted', async () => {
    const { page } = await chatPage({}, modelled.url);
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
  });

  it('is stopped by a button, keeps the text so far, and is requested again', async () => {
    const { page } = await chatPage({}, modelled.url);
    const first = modelWrites();
    await say(page, 'Hello');
    (await first.stream).say('As far as');
    await log(page).getByText('As far as').waitFor();
    await button(page, 'Stop').click();
    await first.gone;
    await log(page).getByText('Stopped', { exact: true }).waitFor();
    await page.reload();
    await log(page).getByText('As far as').waitFor();
    await log(page).getByText('Stopped', { exact: true }).waitFor();
    const second = modelWrites();
    await button(page, 'Regenerate (free)').click();
    await log(page).getByText('As far as').waitFor({ state: 'detached' });
    (await second.stream).say('The whole answer.').end();
    await button(page, 'Regenerate (free)').waitFor();
    await expect.poll(() => log(page).getByRole('article').allInnerTexts()).toHaveLength(3);
    await log(page).getByText('The whole answer.').waitFor();
    await expectAccessible(page);
  });

  it('that is written elsewhere is waited for, and can be stopped there', async () => {
    const { page } = await chatPage({}, modelled.url);
    const { stream, gone } = modelWrites();
    await say(page, 'Hello');
    (await stream).say('As far as');
    await page.waitForURL('**?c=*');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByText('Support is typing...').first().waitFor();
    await expect.poll(() => field(other).isDisabled()).toBe(true);
    await button(other, 'Stop').click();
    await gone;
    await log(other).getByText('As far as').waitFor();
    await log(page).getByText('Stopped', { exact: true }).waitFor();
  });

  it('that fails is reported, and can be requested again', async () => {
    const { page } = await chatPage({}, modelled.url);
    answering = (response) => sendJson(response, 401, { error: { message: 'no' } });
    await say(page, 'Hello');
    await toast(page, 'Chat error');
    await page.getByText('This message has no reply.').waitFor();
    await expectAccessible(page);
    const { stream } = modelWrites();
    await button(page, 'Try again').click();
    (await stream).say('Here I am.').end();
    await log(page).getByText('Here I am.').waitFor();
    await page.getByText('This message has no reply.').waitFor({ state: 'detached' });
  });

  it('stops when the member leaves its page', async () => {
    const { page } = await chatPage({}, modelled.url);
    const { stream, gone } = modelWrites();
    await say(page, 'Hello');
    (await stream).say('As far as');
    await log(page).getByText('As far as').waitFor();
    await press(page, 'New conversation');
    await gone;
    await log(page).getByText('As far as').waitFor({ state: 'detached' });
    await press(page, /^Hello$/);
    await log(page).getByText('Stopped', { exact: true }).waitFor();
  });
});

describe('the chat dialog', () => {
  it('shows the conversation while it is open, and starts again', async () => {
    const { page } = await chatPage();
    await page.goto('/agents');
    await chooseFromMenu(page, 'Support', 'Chat with Agent');
    const field = dialog(page).getByRole('textbox', { name: 'Message' });
    await field.press('Enter');
    await field.fill(question);
    await field.press('Enter');
    await log(page).getByText('30 days').first().waitFor();
    await log(page).getByText('Returns', { exact: true }).waitFor();
    await expect.poll(() => log(page).getByRole('article').count()).toBe(2);
    await expectAccessible(page);
    await press(dialog(page), 'Close');
    await dialogIsGone(page);
    await chooseFromMenu(page, 'Support', 'Chat with Agent');
    await expect.poll(() => log(page).getByRole('article').count()).toBe(0);
    await dialog(page).getByRole('link', { name: 'All conversations' }).click();
    await press(page, new RegExp(`^${question.slice(0, 20)}`));
    await log(page).getByText('30 days').first().waitFor();
  });

  it('waits for the reply, and has words for one without any', async () => {
    const { page } = await chatPage({}, modelled.url);
    await page.goto('/agents');
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

  it('is not offered for a paused agent', async () => {
    const { page, agentId } = await chatPage();
    await page.request.put(`/api/agents/${agentId}`, { data: { isActive: false } });
    await page.goto('/agents');
    await press(page, 'Actions for Support');
    const item = page.getByRole('menuitem', { name: 'Chat with Agent' });
    await expect.poll(() => item.getAttribute('aria-disabled')).toBe('true');
  });
});
