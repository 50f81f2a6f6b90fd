import type { Page } from 'playwright';
import type { Scene } from './scene.ts';
import { dialog, press } from './steps.ts';

const TEXTS = ['features', 'documentation', 'about', 'blog', 'careers', 'security', 'privacy'];

async function openTicket(page: Page) {
  const data = {
    name: 'Noa Lindqvist',
    email: 'noa@example.com',
    company: 'Lindqvist & Daughters',
    subject: 'An invoice with our number',
    priority: 'urgent',
    category: 'billing',
    message: 'Please write our VAT number on the invoices.\nIt is needed by the end of the month.',
  };
  const answer = await page.request.post('/api/support/tickets', { data });
  if (!answer.ok()) throw new Error(await answer.text());
  await page.reload();
  await page.getByRole('heading', { name: data.subject }).waitFor();
}

async function sentEmpty(page: Page) {
  await press(page, 'Send Message');
  await page.locator('[aria-invalid="true"]').first().waitFor();
}

export const supportScenes: readonly Scene[] = [
  ...TEXTS.map((page) => ({ name: page, as: 'nobody' as const, path: `/${page}` })),
  { name: 'pricing', as: 'nobody', path: '/pricing' },
  { name: 'help', as: 'nobody', path: '/help' },
  {
    name: 'help-found',
    as: 'nobody',
    path: '/help',
    act: (page) => page.getByRole('searchbox').fill('credits expire'),
  },
  { name: 'status', as: 'nobody', path: '/status' },
  { name: 'contact', as: 'nobody', path: '/contact' },
  { name: 'contact-form', as: 'nobody', path: '/contact?category=billing', act: sentEmpty },
  {
    name: 'landing-contact',
    as: 'nobody',
    path: '/#contact',
    act: async (page) => {
      await page.locator('#contact form').waitFor();
      await sentEmpty(page);
    },
  },
  {
    name: 'landing-demo',
    as: 'nobody',
    path: '/',
    act: async (page) => {
      await press(page, 'Watch demo');
      const picture = dialog(page).getByRole('img');
      await picture.evaluate((image) => (image as unknown as { decode(): Promise<void> }).decode());
    },
  },
  { name: 'tickets-empty', as: 'newcomer', path: '/support' },
  { name: 'tickets-restricted', as: 'viewer', path: '/support' },
  { name: 'tickets', as: 'admin', path: '/support', act: openTicket },
];
