import { afterAll } from 'vitest';
import { startTestProduct } from '../testing/product.ts';
import { openBrowser } from './browser.ts';

/** A product and a browser for the tests of a file, which end with them. */
export async function openSuite(...options: Parameters<typeof startTestProduct>) {
  const product = await startTestProduct(...options);
  const browser = await openBrowser();
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await product[Symbol.asyncDispose]();
  });
  return { product, browser };
}
