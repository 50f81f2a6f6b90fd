import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Account } from './account.ts';
import { ApiError } from './api-error.ts';

const escaped = (value: string) => value.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The hosted page, as far as a browser needs it: a button for each thing that a buyer can do. */
export function checkoutPage(
  account: Account,
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
): void {
  const [, id = '', action = ''] = /^\/c\/pay\/(\w+)(?:\/(\w+))?$/.exec(url) ?? [];
  try {
    const session = account.session(id);
    if (method === 'POST') {
      const location = act(account, id, action) ? session.success_url : session.cancel_url;
      response.writeHead(303, {
        location: action === 'decline' ? `/c/pay/${id}` : (location ?? '/'),
      });
      response.end();
      return;
    }
    const button = (name: string, label: string) =>
      `<form method="post" action="/c/pay/${id}/${name}"><button>${label}</button></form>`;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(`<!doctype html><html lang="en"><title>Checkout</title>
      <h1>${escaped(session.currency ?? '')} ${(session.amount_total ?? 0) / 100}</h1>
      ${button('pay', 'Pay')}${button('decline', 'Declined card')}${button('back', 'Back')}`);
  } catch (error) {
    response.writeHead(error instanceof ApiError ? error.status : 409);
    response.end();
  }
}

/** Whether the buyer has paid. */
function act(account: Account, id: string, action: string): boolean {
  if (action === 'pay') account.pay(id);
  if (action === 'decline') account.decline(id);
  return action === 'pay';
}
