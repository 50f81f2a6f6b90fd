import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

const HOST = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::\d+)?$/i;
/** A name without a dot, as `localhost` or a container's: no public DNS answers for it. */
const ONE_WORD = /^[\da-z_-]+$/i;

/**
 * Whether the Host of a call is an address or a one-word name. A web page whose own name resolves
 * to this machine (DNS rebinding) sends that name, which has a dot.
 */
export function hasDirectHost({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const [, bracketed, plain = ''] = HOST.exec(headers.host ?? '') ?? [];
  const name = bracketed ?? plain;
  return isIP(name) !== 0 || ONE_WORD.test(name);
}
