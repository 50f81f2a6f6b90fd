import type { Page, Route } from 'playwright';
import { describe, expect, it } from 'vitest';
import { expectAccessible, openSuite } from './browser.ts';
import { withGraphicsCard } from './pictures.ts';
import { dialog, press } from './steps.ts';

const { product, browser } = await openSuite();

const strokes = (page: Page) => page.locator('canvas[data-shapes]');

/** Answers as when too much came from one address. */
const refuse = (route: Route) =>
  route.fulfill({ status: 429, json: { status: 429, code: 'too-many-requests' } });

/** The page's own clock when its text was readable, and when the strokes were requested. */
const TIMES = `(() => {
  const [navigation] = performance.getEntriesByType('navigation');
  const chunk = performance.getEntriesByType('resource').find(({ name }) => /float-/.test(name));
  return { loaded: navigation.loadEventEnd, asked: chunk?.startTime ?? 0 };
})()`;

describe('the landing page', () => {
  it('has one still drawing where nothing draws fast, and links to its sections, to sign-in and to sign-up', async () => {
    const page = await browser.newPage(product.url);
    await page.goto('/');
    const drawing = page.locator('svg[data-shapes="15"]');
    await drawing.waitFor();
    await expect.poll(() => drawing.locator('line').count()).toBe(15);
    const { asked } = await page.evaluate<{ asked: number }>(TIMES);
    expect(asked).toBe(0);
    await expect.poll(() => page.locator('canvas').count()).toBe(0);

    const head = page.getByRole('banner');
    for (const name of ['Features', 'Pricing', 'Testimonials', 'Contact']) {
      await head.getByRole('link', { name, exact: true }).click();
      const part = page.locator(`#${name.toLowerCase()}`);
      const top = () => part.evaluate((it) => it.getBoundingClientRect().top);
      // The last part cannot scroll to the top: the page ends before.
      await expect.poll(top).toBeLessThan(300);
    }
    await expect.poll(() => page.locator('#features li').count()).toBe(6);
    await expect.poll(() => page.getByText('$0.10').isVisible()).toBe(true);
    await expect
      .poll(() => head.getByRole('link', { name: 'Sign In' }).getAttribute('href'))
      .toBe('/auth');
    await page.evaluate('window.isSameDocument = true');
    await head.getByRole('link', { name: 'Sign Up' }).click();
    await page.waitForURL('**/auth?tab=register');
    await page.getByRole('button', { name: 'Create Account' }).waitFor();
    await page.goBack();
    await page.locator('#features').waitFor();
    expect(await page.evaluate('window.isSameDocument')).toBe(true);
  });
});

describe('the strokes behind the first words', () => {
  it('appear after the page has loaded, float only while they are seen, and end with the page', async () => {
    // A small window, because here the processor draws it.
    const viewport = { width: 800, height: 600 };
    const page = await browser.newPage(product.url, { viewport });
    await withGraphicsCard(page);
    await page.goto('/');
    // They stand still with reduced motion.
    await strokes(page).waitFor();
    await expect.poll(() => strokes(page).getAttribute('data-shapes')).toBe('15');
    await expect.poll(() => strokes(page).getAttribute('data-motion')).toBe('still');
    const { loaded, asked } = await page.evaluate<{ loaded: number; asked: number }>(TIMES);
    expect(loaded).toBeGreaterThan(0);
    expect(asked).toBeGreaterThan(loaded);
    const isHidden = 'Boolean(document.querySelector("canvas").closest("[aria-hidden=true]"))';
    await expect.poll(() => page.evaluate(isHidden)).toBe(true);

    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await page.locator('canvas[data-motion="floating"]').waitFor();
    const before = await strokes(page).screenshot();
    const isSame = async () => before.equals(await strokes(page).screenshot());
    await expect.poll(isSame).toBe(false);
    await page.locator('#contact').scrollIntoViewIfNeeded();
    await page.locator('canvas[data-motion="still"]').waitFor({ state: 'attached' });
    await page.evaluate('window.scrollTo(0, 0)');
    await page.locator('canvas[data-motion="floating"]').waitFor();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.locator('canvas[data-motion="still"]').waitFor();
    await page.getByRole('link', { name: 'Sign In' }).click();
    await strokes(page).waitFor({ state: 'detached' });
  });
});

describe('the film of the landing page', () => {
  const timeline = (page: Page) => dialog(page).getByRole('slider', { name: 'Timeline' });
  const place = async (page: Page) => Number(await timeline(page).inputValue());
  const isLoaded = (page: Page) =>
    dialog(page)
      .getByRole('img')
      .evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 0);
  const frames = (page: Page) =>
    page.evaluate<number>(`performance.getEntriesByType('resource')
      .filter(({ name }) => /\\/\\d{3}-signUp-/.test(name)).length`);

  it('loads on request, and waits for its button where less motion is wanted; otherwise it plays', async () => {
    const page = await browser.newPage(product.url);
    await page.setViewportSize({ width: 375, height: 667 });
    await page.goto('/', { waitUntil: 'networkidle' });
    expect(await frames(page)).toBe(0);
    await press(page, 'Watch demo');
    await dialog(page).getByRole('button', { name: 'Play' }).waitFor();
    expect(await place(page)).toBe(0);
    await expectAccessible(page);
    await page.keyboard.press(' ');
    await dialog(page).getByRole('button', { name: 'Pause' }).waitFor();
    await expect.poll(() => frames(page)).toBeGreaterThan(0);
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });

    // It stops, moves by keys and chapters, and leads to the sign-up.
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await press(page, 'Watch demo');
    await expect.poll(() => place(page)).toBeGreaterThan(0);
    await press(dialog(page), 'Pause');
    const stopped = await place(page);
    await dialog(page).focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => place(page)).toBeGreaterThan(stopped);
    await press(dialog(page), 'An answer from your article');
    await dialog(page)
      .getByText(/quotes the passage that it used/)
      .waitFor();
    await expect.poll(() => isLoaded(page)).toBe(true);
    await dialog(page).getByRole('link', { name: 'Start free' }).click();
    await page.waitForURL('**/auth?tab=register');
  });
});

describe('the contact form of the landing page', () => {
  it('reports missing fields, keeps the text when sending fails, and thanks', async () => {
    const page = await browser.newPage(product.url);
    await page.goto('/');
    await page.locator('#contact').scrollIntoViewIfNeeded();
    await press(page, 'Send Message');
    for (const message of [
      'Please enter your name',
      'Please enter a valid email address',
      'Please enter a message',
    ]) {
      await page.getByText(message, { exact: true }).waitFor();
    }
    const form = page.locator('#contact form');
    await form.getByLabel('Name').fill('Ada Lovelace');
    await form.getByLabel('Email').fill('ada@example.com');
    await form.getByLabel('Message').fill('How many agents may we have?');
    await page.route('**/api/contact', refuse);
    await press(page, 'Send Message');
    await page.getByText('Failed to send message', { exact: true }).waitFor();
    await expect
      .poll(() => form.getByLabel('Message').inputValue())
      .toBe('How many agents may we have?');
    await page.unroute('**/api/contact');
    await press(page, 'Send Message');
    const thanks = form.getByRole('alert').getByText('Thank you! We will get back to you soon.');
    await thanks.waitFor();
    await expect.poll(() => form.getByLabel('Message').inputValue()).toBe('');
  });
});
