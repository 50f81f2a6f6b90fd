import type { Page, Route } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiClient, registerOrganization } from '../testing/api-client.ts';
import { startTestProduct, type TestProduct } from '../testing/product.ts';
import { openBrowser, type TestBrowser } from './browser.ts';
import { settled } from './scenes.ts';
import { dialog, press } from './steps.ts';

let product: TestProduct;
let browser: TestBrowser;
beforeAll(async () => {
  product = await startTestProduct();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await product[Symbol.asyncDispose]();
});

const PAGES_MAX = 60;
const FOOTER = [
  ...['/features', '/pricing', '/documentation', '/api', '/about', '/blog', '/careers'],
  ...['/contact', '/help', '/status', '/security', '/privacy'],
];

/** Answers as when too much came from one address. */
const refuse = (route: Route) =>
  route.fulfill({ status: 429, json: { status: 429, code: 'too-many-requests' } });

type Seen = {
  readonly links: readonly string[];
  readonly ids: readonly string[];
  readonly levels: readonly number[];
  readonly title: string;
  readonly description: string;
  readonly mains: number;
  readonly isNowhere: boolean;
};

/** What stands on a page; run in the page. */
const LOOK = `({
  links: [...document.querySelectorAll('a[href]')].map((a) => a.href),
  ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
  levels: [...document.querySelectorAll('h1,h2,h3,h4')].map(({ tagName }) => Number(tagName[1])),
  title: document.title,
  description: document.querySelector('meta[name=description]').content,
  mains: document.querySelectorAll('main').length,
  isNowhere: /not found/i.test(document.querySelector('h1').textContent),
})`;

async function look(page: Page, path: string): Promise<Seen> {
  await page.goto(path);
  await settled(page);
  return page.evaluate<Seen>(LOOK);
}

/** Every page that can be reached from the landing page by links, each as it was seen. */
async function crawl(): Promise<ReadonlyMap<string, Seen>> {
  const page = await browser.newPage(product.url);
  const found = new Map<string, Seen>();
  const files = new Set<string>();
  const waiting = ['/'];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (found.has(path)) continue;
    expect(found.size).toBeLessThan(PAGES_MAX);
    const seen = await look(page, path);
    found.set(path, seen);
    for (const link of seen.links) {
      const { origin, pathname, search } = new URL(link);
      if (origin !== product.url) continue;
      // What is below /api/ is answered by the API itself, and is no page.
      if (pathname.startsWith('/api/')) files.add(pathname);
      else waiting.push(`${pathname}${search}`);
    }
  }
  for (const file of files) {
    expect([file, (await page.request.get(file)).status()]).toEqual([file, 200]);
  }
  await page.context().close();
  return found;
}

describe('the public pages', () => {
  let found: ReadonlyMap<string, Seen>;
  beforeAll(async () => {
    found = await crawl();
  });

  it('are all reached from the landing page', () => {
    for (const path of FOOTER) expect([...found.keys()]).toContain(path);
  });

  it('have no link that leads nowhere', () => {
    for (const [path, { links, isNowhere }] of found) {
      expect([path, isNowhere]).toEqual([path, false]);
      for (const link of links) {
        const { origin, pathname, search, hash } = new URL(link);
        if (origin !== product.url || !hash) continue;
        const target = found.get(`${pathname}${search}`);
        expect([link, target?.ids.includes(hash.slice(1))]).toEqual([link, true]);
      }
    }
  });

  it('have each a title and a description of their own, and one main part', () => {
    const pages = FOOTER.flatMap((path) => found.get(path) ?? []);
    expect(new Set(pages.map(({ title }) => title)).size).toBe(FOOTER.length);
    expect(new Set(pages.map(({ description }) => description)).size).toBe(FOOTER.length);
    expect(pages.map(({ mains }) => mains)).toEqual(FOOTER.map(() => 1));
  });

  it('have their headings in order', () => {
    for (const [path, { levels }] of found) {
      expect([path, levels.filter((level) => level === 1)]).toEqual([path, [1]]);
      const jumps = levels.filter((level, at) => level - (levels[at - 1] ?? 0) > 1);
      expect([path, jumps]).toEqual([path, []]);
    }
    browser.expectNoComplaints();
  });

  it('begin at their top, or at the place that was asked for', async () => {
    const page = await browser.newPage(product.url);
    await page.goto('/documentation');
    await page.getByRole('contentinfo').getByRole('link', { name: 'Privacy' }).click();
    await page.getByRole('heading', { level: 1, name: 'Privacy' }).waitFor();
    await expect.poll(() => page.evaluate('window.scrollY')).toBe(0);
    await page.getByRole('contentinfo').getByRole('link', { name: 'Security' }).click();
    await page.getByRole('link', { name: 'How it works' }).click();
    const place = page.getByRole('heading', { name: 'An audit log that proves itself' });
    await expect.poll(() => place.evaluate((h) => h.getBoundingClientRect().top)).toBeLessThan(200);
    await page.context().close();
  });
});

describe('the help page', () => {
  it('finds answers by their words, and opens the only one', async () => {
    const page = await browser.newPage(product.url);
    await page.goto('/help');
    const questions = page.locator('details');
    await questions.first().waitFor();
    expect(await questions.count()).toBeGreaterThanOrEqual(20);
    await page.getByRole('searchbox').fill('credits expire');
    await page.getByText('1 answer', { exact: true }).waitFor();
    expect(await questions.getByText('No.').isVisible()).toBe(true);
    await page.getByRole('searchbox').fill('zeppelin');
    await page.getByText('0 answers').waitFor();
    expect(await page.getByRole('link', { name: 'Ask us' }).isVisible()).toBe(true);
    await page.context().close();
  });
});

describe('the status page', () => {
  it('says what the product checks of itself', async () => {
    const page = await browser.newPage(product.url);
    await page.goto('/status');
    await page.getByRole('status').filter({ hasText: 'All is well' }).waitFor();
    expect(await page.getByText('Well', { exact: true }).count()).toBe(5);
    await page.context().close();
  });
});

describe('the tour of the landing page', () => {
  it('goes through the product, and ends where one begins', async () => {
    const page = await browser.newPage(product.url);
    await page.goto('/');
    await press(page, 'Watch demo');
    for (const step of ['1 of 4', '2 of 4', '3 of 4']) {
      await dialog(page).getByText(step, { exact: true }).waitFor();
      const isShown = () =>
        dialog(page)
          .getByRole('presentation')
          .evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
      await expect.poll(isShown).toBe(1440);
      await press(dialog(page), 'Next');
    }
    await dialog(page).getByRole('link', { name: 'Start free' }).click();
    await page.waitForURL('**/auth?tab=register');
    await page.context().close();
  });
});

describe('the contact form of the landing page', () => {
  const fill = async (page: Page) => {
    const form = page.locator('#contact form');
    await page.locator('#contact').scrollIntoViewIfNeeded();
    await form.getByLabel('Name').fill('Ada Lovelace');
    await form.getByLabel('Email').fill('ada@example.com');
    await form.getByLabel('Message').fill('How many agents may we have?');
    return form;
  };

  it('thanks, and is empty again', async () => {
    const page = await browser.newPage(product.url);
    await page.goto('/');
    const form = await fill(page);
    await press(page, 'Send Message');
    await page.getByText('Thank you! We will get back to you soon.', { exact: true }).waitFor();
    expect(await form.getByLabel('Message').inputValue()).toBe('');
    await page.context().close();
  });

  it('says that sending failed, and keeps the text', async () => {
    const page = await browser.newPage(product.url);
    await page.route('**/api/contact', refuse);
    await page.goto('/');
    const form = await fill(page);
    await press(page, 'Send Message');
    await page.getByText('Failed to send message', { exact: true }).waitFor();
    expect(await form.getByLabel('Message').inputValue()).toBe('How many agents may we have?');
    await page.context().close();
  });

  it('says what is missing', async () => {
    const page = await browser.newPage(product.url);
    await page.goto('/');
    await page.locator('#contact').scrollIntoViewIfNeeded();
    await press(page, 'Send Message');
    for (const message of [
      ...['Please enter your name', 'Please enter a valid email address'],
      'Please enter a message',
    ]) {
      await page.getByText(message, { exact: true }).waitFor();
    }
    await page.context().close();
  });
});

describe('the contact page', () => {
  it('reveals the form, names what breaks a rule, and gives a number', async () => {
    const page = await browser.newPage(product.url);
    await page.goto('/contact');
    await page.getByRole('heading', { level: 1, name: 'Get in Touch' }).waitFor();
    expect(await page.getByLabel('Subject').count()).toBe(0);
    await press(page, 'Send us a Message');
    await page.getByLabel('Subject').fill('Hi');
    await press(page, 'Send Message');
    for (const message of [
      ...['Name must be at least 2 characters', 'Please enter a valid email address'],
      ...['Subject must be at least 5 characters', 'Message must be at least 20 characters'],
    ]) {
      await page.getByText(message, { exact: true }).waitFor();
    }
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Subject').fill('Larger packages');
    await page.getByLabel('Message').fill('We would like to buy 20,000 credits.');
    await press(page, 'Send Message');
    await page.getByText('Message sent successfully!', { exact: true }).waitFor();
    await page.getByText("We'll get back to you within 24 hours.", { exact: true }).waitFor();
    await page.getByText(/^TH-[0-9A-Z]{6}$/).waitFor();
    await page.context().close();
  });

  it('knows who is signed in and what about; Admins find the ticket in their list', async () => {
    const { user, client } = await registerOrganization(product.url);
    const page = await browser.newPage(product.url);
    const cookies = [...client.cookies].map(([name, value]) => ({ name, value, url: product.url }));
    await page.context().addCookies(cookies);
    await page.goto('/contact?category=billing');
    await page.getByLabel('Category').waitFor();
    expect(await page.getByLabel('Category').inputValue()).toBe('billing');
    expect(await page.getByLabel('Email').inputValue()).toBe(user.email);
    await page.getByLabel('Subject').fill('An invoice with our number');
    await page.getByLabel('Message').fill('Please write our number on the invoices.');
    await press(page, 'Send Message');
    await page.getByRole('link', { name: 'All tickets of your organization' }).click();
    await page.getByRole('heading', { name: 'An invoice with our number' }).waitFor();
    await page.context().close();
    browser.expectNoComplaints();
  });

  it('keeps the text when sending fails', async () => {
    const page = await browser.newPage(product.url);
    await page.route('**/api/support/tickets', refuse);
    await page.goto('/contact?category=general');
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Subject').fill('A question');
    await page.getByLabel('Message').fill('Twenty characters or more of it.');
    await press(page, 'Send Message');
    await page.getByText('Failed to send message', { exact: true }).waitFor();
    expect(await page.getByLabel('Subject').inputValue()).toBe('A question');
    await page.context().close();
  });
});

describe('the server', () => {
  it('gives every public page at its own address', async () => {
    const client = apiClient(product.url);
    for (const path of FOOTER) expect((await client.send('GET', path)).status).toBe(200);
  });
});
