import { randomUUID } from 'node:crypto';
import { demoEmail, fillDemo } from '../demo/fill.ts';
import { sharedProduct } from '../testing/product.ts';
import { fillBilling } from './billing-history.ts';

type Demo = { readonly admin: string; readonly password: string };

let filled: Promise<Demo> | undefined;

/** The demonstration, with payments and limits, in the product that test files share. */
export function sharedDemo(): Promise<Demo> {
  filled ??= fill();
  return filled;
}

async function fill(): Promise<Demo> {
  const { url } = await sharedProduct();
  const password = randomUUID();
  await fillDemo(url, password);
  await fillBilling(url, demoEmail, password);
  return { admin: demoEmail, password };
}
