import { sharedProduct } from '../testing/product.ts';
import { openBrowser } from './browser.ts';

/** The shared product and pages on the shared browser, for the tests of a file. */
export const openSuite = async () => ({ product: await sharedProduct(), browser: openBrowser() });
