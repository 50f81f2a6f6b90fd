const OWN_CHECKOUT = '/billing/test-checkout/';

/** Where a payment continues: at a path of this site, or at the provider's own page. */
export type CheckoutTarget = { kind: 'own'; path: string } | { kind: 'provider'; url: string };

/** Only our own path counts: behind a proxy the address may be written with another host. */
export function checkoutTarget(checkoutUrl: string, origin: string): CheckoutTarget | undefined {
  if (!URL.canParse(checkoutUrl, origin)) return undefined;
  const { href, pathname, protocol } = new URL(checkoutUrl, origin);
  if (pathname.startsWith(OWN_CHECKOUT)) return { kind: 'own', path: pathname };
  return protocol === 'https:' || protocol === 'http:'
    ? { kind: 'provider', url: href }
    : undefined;
}
