import { PUBLIC_PATHS, VERIFIER_PATH } from '@tallyhand/contracts/web-paths';
import type { Route } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { openSuite } from './browser.ts';
import { crawl, expectNoDeadEnds, type Seen } from './crawl.ts';
import { press, registered } from './steps.ts';

const { product, browser } = await openSuite();

const FOOTER = [
  '/features',
  '/pricing',
  '/documentation',
  '/api',
  '/about',
  '/blog',
  '/careers',
  '/contact',
  '/help',
  '/status',
  '/security',
  '/privacy',
];

/** Answers as when too much came from one address. */
const refuse = (route: Route) =>
  route.fulfill({ status: 429, json: { status: 429, code: 'too-many-requests' } });

describe('the public pages', () => {
  let found: ReadonlyMap<string, Seen>;
  const asked = new Set<string>();
  beforeAll(async () => {
    const page = await browser.newPage(product.url);
    page.on('request', (request) => asked.add(new URL(request.url()).origin));
    found = await crawl(page, product.url, '/');
  });

  it('make no requests to other hosts', () => {
    expect([...asked]).toEqual([product.url]);
  });

  it('are all reached from the landing page', () => {
    for (const path of FOOTER) expect([...found.keys()]).toContain(path);
    for (const path of PUBLIC_PATHS) expect([...found.keys()]).toContain(path);
  });

  it('have no link that leads nowhere', () => expectNoDeadEnds(found, product.url));

  it('each have a title and a description, and one main part', () => {
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
  });

  it('begin at their top, or at the requested anchor; the guide marks its current section', async () => {
    const page = await browser.newPage(product.url);
    await page.goto('/documentation');
    await page.getByRole('banner').getByRole('link', { name: 'Sign In' }).waitFor();
    const contents = page.getByRole('navigation', { name: 'On this page' });
    const current = contents.locator('[aria-current=location]');
    await current.waitFor();
    await expect.poll(() => current.textContent()).toBe('Your first agent in five minutes');
    await contents.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await expect.poll(() => current.textContent()).toBe('Webhooks');
    expect(new URL(page.url()).hash).toBe('#webhooks');
    await page.evaluate('window.scrollTo(0, 0)');
    await expect.poll(() => current.textContent()).toBe('Your first agent in five minutes');

    await page.getByRole('contentinfo').getByRole('link', { name: 'Privacy' }).click();
    await page.getByRole('heading', { level: 1, name: 'Privacy' }).waitFor();
    await expect.poll(() => page.evaluate('window.scrollY')).toBe(0);
    await page.getByRole('contentinfo').getByRole('link', { name: 'Security' }).click();
    await page.getByRole('link', { name: 'How it works' }).click();
    const place = page.getByRole('heading', { name: 'An audit log you can verify' });
    await expect.poll(() => place.evaluate((h) => h.getBoundingClientRect().top)).toBeLessThan(200);
  });

  it('have their links, the languages and the theme in a menu on a phone', async () => {
    const page = await browser.newPage(product.url);
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto('/features');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    const head = page.getByRole('banner');
    await press(head, 'Menu');
    await head.getByRole('button', { name: /English/ }).waitFor();
    await page.keyboard.press('Escape');
    await head.getByRole('link', { name: 'Pricing' }).waitFor({ state: 'hidden' });
    await press(head, 'Menu');
    await head.getByRole('link', { name: 'Pricing' }).click();
    await page.waitForURL('**/pricing');
    await head.getByRole('link', { name: 'Pricing' }).waitFor({ state: 'hidden' });
  });
});

describe('the help page and the status page', () => {
  it('find answers by their words and open the only one, and show the health checks', async () => {
    const page = await browser.newPage(product.url);
    await page.goto('/help');
    const questions = page.locator('details');
    await questions.first().waitFor();
    await expect.poll(() => questions.count()).toBeGreaterThanOrEqual(20);
    await page.getByRole('searchbox').fill('credits expire');
    await page.getByText('1 answer', { exact: true }).waitFor();
    await expect.poll(() => questions.getByText('No.').isVisible()).toBe(true);
    await page.getByRole('searchbox').fill('zeppelin');
    await page.getByText('0 answers').waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'Contact us' }).isVisible()).toBe(true);

    await page.getByRole('contentinfo').getByRole('link', { name: 'Status' }).click();
    await page.getByRole('status').filter({ hasText: 'All systems operational' }).waitFor();
    await expect.poll(() => page.getByText('Operational', { exact: true }).count()).toBe(6);
  });
});

describe('the contact page', () => {
  it('reveals the form, names invalid fields, keeps the text when sending fails, and returns a number', async () => {
    const page = await browser.newPage(product.url);
    await page.goto('/contact');
    await page.getByRole('heading', { level: 1, name: 'Get in Touch' }).waitFor();
    await expect.poll(() => page.getByLabel('Subject').count()).toBe(0);
    await press(page, 'Send us a Message');
    await page.getByLabel('Subject').fill('Hi');
    await press(page, 'Send Message');
    for (const message of [
      'Name must be at least 2 characters',
      'Please enter a valid email address',
      'Subject must be at least 5 characters',
      'Message must be at least 20 characters',
    ]) {
      await page.getByText(message, { exact: true }).waitFor();
    }
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Subject').fill('Larger packages');
    await page.getByLabel('Message').fill('We would like to buy 20,000 credits.');
    await page.route('**/api/support/tickets', refuse);
    await press(page, 'Send Message');
    await page.getByText('Failed to send message', { exact: true }).waitFor();
    await expect.poll(() => page.getByLabel('Subject').inputValue()).toBe('Larger packages');
    await page.unroute('**/api/support/tickets');
    await press(page, 'Send Message');
    await page.getByText('Message sent successfully!', { exact: true }).waitFor();
    await page.getByText("We'll get back to you within 24 hours.", { exact: true }).waitFor();
    await page.getByText(/^TH-[0-9A-Z]{6}$/).waitFor();

    // Where the operator has no forum, its link leads to the form.
    await page.getByRole('heading', { name: 'Community Forum' }).waitFor();
    await page.getByRole('link', { name: 'Go to the forum' }).click();
    await page.waitForURL('**/contact?category=general');
    await page.getByLabel('Subject').waitFor();
  });

  it('prefills the signed-in member and the category; Admins find the ticket in their list', async () => {
    const page = await browser.newPage(product.url);
    const header = page.getByRole('banner');
    const { email } = await registered(page, 'Harbour Books');
    await page.goto('/dashboard');
    await page.getByRole('heading', { name: /^Welcome/ }).waitFor();
    // Public pages lead members to the dashboard instead of the sign-in.
    await page.goto('/pricing');
    await header.getByRole('link', { name: 'Open dashboard' }).waitFor();
    await expect.poll(() => header.getByRole('link', { name: 'Sign In' }).count()).toBe(0);
    await header.getByRole('link', { name: 'Open dashboard' }).click();

    await page.getByRole('navigation').getByRole('link', { name: 'Billing' }).click();
    await page.locator('main a[href="/contact?category=billing"]').click();
    await page.getByLabel('Category').waitFor();
    await expect.poll(() => page.getByLabel('Category').inputValue()).toBe('billing');
    await expect.poll(() => page.getByLabel('Email').inputValue()).toBe(email);
    await page.getByLabel('Subject').fill('An invoice with our number');
    await page.getByLabel('Message').fill('Please write our number on the invoices.');
    await press(page, 'Send Message');
    await page.getByRole('link', { name: 'All tickets of your organization' }).click();
    await page.getByRole('heading', { name: 'An invoice with our number' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await header.getByRole('link', { name: 'Sign Up' }).waitFor();
  });
});

describe('the server', () => {
  const textOf = async (path: string, status = 200) => {
    const answer = await fetch(`${product.url}${path}`);
    expect([path, answer.status]).toEqual([path, status]);
    return answer.text();
  };
  const content = (page: string, name: string) =>
    new RegExp(`(?:name|property)="${name}"\\s+content="([^"]*)"`).exec(page)?.[1];

  it('serves every public page at its own address, with its own head', async () => {
    const { publicUrl } = product.config;
    const descriptions = new Set<string | undefined>();
    for (const path of ['/', ...FOOTER]) {
      const page = await textOf(path);
      expect(page).toContain(`<link rel="canonical" href="${publicUrl}${path}" />`);
      expect(content(page, 'og:url')).toBe(`${publicUrl}${path}`);
      expect(content(page, 'og:description')).toBe(content(page, 'description'));
      expect(content(page, 'robots')).toBeUndefined();
      descriptions.add(content(page, 'description'));
      const card = content(page, 'og:image') ?? '';
      expect((await fetch(card.replace(publicUrl, product.url))).status).toBe(200);
    }
    expect(descriptions.size).toBe(FOOTER.length + 1);
  });

  it('excludes private pages from search engines', async () => {
    for (const [path, status] of [['/dashboard', 200] as const, ['/nowhere', 404] as const]) {
      const page = await textOf(path, status);
      expect(content(page, 'robots')).toBe('noindex');
      expect(page).not.toContain('canonical');
    }
    expect((await fetch(`${product.url}/pages/features.html`)).status).toBe(404);
  });

  it('lists the public pages for them', async () => {
    const { publicUrl } = product.config;
    expect(await textOf('/robots.txt')).toContain(`Sitemap: ${publicUrl}/sitemap.xml`);
    const listed = [...(await textOf('/sitemap.xml')).matchAll(/<loc>([^<]*)/g)].map(
      ([, at]) => at,
    );
    const pages = ['/', ...FOOTER, VERIFIER_PATH].map((at) => publicUrl + at);
    expect(listed.toSorted()).toEqual(pages.toSorted());
  });

  it('tells language models what to read', async () => {
    const { publicUrl } = product.config;
    const links = [...(await textOf('/llms.txt')).matchAll(/\]\(([^)]+)\)/g)].map(
      ([, at]) => at ?? '',
    );
    expect(links).toContain(`${publicUrl}/api/openapi.json`);
    for (const link of links) {
      const answer = await fetch(link.replace(publicUrl, product.url));
      expect([link, answer.status]).toEqual([link, 200]);
    }
    expect(await textOf('/documentation.md')).toContain(`](${publicUrl}/api)`);
  });

  it('names the contact for weaknesses', async () => {
    const { publicUrl } = product.config;
    expect(await textOf('/.well-known/security.txt')).toContain(`Contact: ${publicUrl}/contact`);
  });

  it('has all icons that the manifest names', async () => {
    const { icons } = JSON.parse(await textOf('/manifest.webmanifest'));
    expect(icons.length).toBeGreaterThan(1);
    for (const { src, type } of icons) {
      const answer = await fetch(`${product.url}${src}`);
      expect([src, answer.status, answer.headers.get('content-type')]).toEqual([src, 200, type]);
    }
  });
});
