import { describe, expect, it } from 'vitest';
import { checkoutTarget } from './checkout-target.ts';

const origin = 'http://127.0.0.1:8080';

describe('the page of a payment', () => {
  it("is the provider's page", () => {
    const url = 'https://checkout.stripe.com/c/pay/cs_1';
    expect(checkoutTarget(url, origin)).toEqual({ kind: 'provider', url });
  });
  it('is a path of this site with the test provider, whatever host it is written with', () => {
    const path = '/billing/test-checkout/4f';
    expect(checkoutTarget(path, origin)).toEqual({ kind: 'own', path });
    expect(checkoutTarget(`https://other.example${path}`, origin)).toEqual({ kind: 'own', path });
  });
  it('is nothing that a browser would run', () => {
    expect(checkoutTarget('javascript:alert(1)', origin)).toBeUndefined();
    expect(checkoutTarget('https://', origin)).toBeUndefined();
  });
});
