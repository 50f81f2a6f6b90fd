import type { Page, Route } from 'playwright';
import { dialog, press } from './steps.ts';

export type Visitor = 'visitor' | 'admin' | 'editor' | 'viewer' | 'newcomer';

/** One picture: a visitor, an address, and the preceding actions. */
export type Scene = {
  readonly name: string;
  readonly as: Visitor;
  readonly path: string;
  readonly act?: (page: Page) => Promise<void>;
  /** Pictured from its top to its end, although it acts. */
  readonly isWhole?: true;
  /** Its requests fail, which the browser logs to the console. */
  readonly complains?: true;
};

/** Opens a dialog by the page's main button, or as `open` does, and submits it unchanged. */
export function sentEmpty(
  name: string,
  send: string,
  open: (page: Page, name: string) => Promise<void> = press,
) {
  return async (page: Page) => {
    await open(page, name);
    await dialog(page).getByRole('button', { name: send }).click();
    await dialog(page).locator('[aria-invalid="true"]').first().waitFor();
  };
}

/** Shows the page to a rate-limited visitor. */
export function refused(addresses: string) {
  const problem = {
    type: 'about:blank',
    title: 'Too many requests',
    status: 429,
    detail: 'Too many requests. Try again in a minute.',
    code: 'too-many-requests',
    correlationId: '0198c0de-0000-7000-8000-00000000beef',
  };
  return async (page: Page) => {
    await page.route(addresses, (route) => route.fulfill({ status: 429, json: problem }));
    await page.reload();
    await page.getByText("Couldn't load this content").first().waitFor();
  };
}

/** The server's answer after a sign-in has ended. */
export const notSignedIn = (route: Route) =>
  route.fulfill({
    status: 401,
    json: {
      type: 'about:blank',
      title: 'Not signed in',
      status: 401,
      detail: 'Sign in first.',
      code: 'not-signed-in',
    },
  });
