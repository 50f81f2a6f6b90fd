import { WebhookNotSigned } from '@tallyhand/contracts/features/credits/payments.refusals';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import Stripe from 'stripe';
import { z } from 'zod';
import type { StripeEvent } from './stripe-events.ts';

/** The allowed difference between a signature's time and the server's clock. */
const TOLERANCE_S = 300;

const Envelope = z.object({ type: z.string(), data: z.object({ object: z.unknown() }) });
const NOT_AN_EVENT: StripeEvent = { type: 'not-an-event', object: null };

/** `body` must be the received bytes, which the signature covers. */
export function readSignedEvent(
  body: Buffer,
  signature: string | undefined,
  secret: string,
): StripeEvent | Refusal {
  let signed: unknown = null;
  try {
    signed = Stripe.webhooks.constructEvent(body, signature ?? '', secret, TOLERANCE_S);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError)
      return WebhookNotSigned({});
    // The signature is valid, but the body is no event: it is ignored.
  }
  // The package checks for old signatures only, not for those from the future.
  const signedAt = Number(/(?:^|,)t=(\d+)/.exec(signature ?? '')?.[1]);
  if (!(signedAt - Date.now() / 1_000 <= TOLERANCE_S)) return WebhookNotSigned({});
  const event = Envelope.safeParse(signed);
  return event.success ? { type: event.data.type, object: event.data.data.object } : NOT_AN_EVENT;
}

/** The `Stripe-Signature` header of a body. */
export function signedHeader(body: string, secret: string, now = new Date()): string {
  const timestamp = Math.floor(now.getTime() / 1_000);
  return Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp });
}
