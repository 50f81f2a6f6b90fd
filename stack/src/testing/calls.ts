import { endpoints } from '@tallyhand/contracts/endpoints';
import {
  receiveStripeWebhook,
  receiveTestPaymentsWebhook,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';

/** What is signed by a program is read by its signature alone. */
const signed: readonly Endpoint[] = [receiveStripeWebhook, receiveTestPaymentsWebhook];

/** The calls that change something and come from members or visitors. */
export const unsafe = endpoints.filter((each) => each.method !== 'GET' && !signed.includes(each));

/** Those of them that take a body. */
export const taking = unsafe.filter(({ body }) => body);

export function byName(name: string): Endpoint {
  const endpoint = endpoints.find((each) => each.name === name);
  if (!endpoint) throw new Error(`There is no call ${name}`);
  return endpoint;
}

/** As the contracts say it; null where every member may. */
export const rolesFor = (name: string) => byName(name).roles;
