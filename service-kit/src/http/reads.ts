import { DependencyDown } from '@tallyhand/contracts/kernel/problem';
import type { FastifyInstance } from 'fastify';
import { RefusalError } from './problem.ts';

const ANSWER_MS_MAX = 15_000;

/** A read of the public API that a service makes for a caller, with the caller's own API key. */
export type ReadCall = {
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The caller's address: its limits are counted, and refused calls are recorded, under it. */
  readonly address: string;
};

export type ReadAnswer = {
  readonly status: number;
  /** The Link header of a list. */
  readonly link: string | null;
  readonly body: string;
};

/** Answers reads as query-service does. */
export type Reads = (call: ReadCall) => Promise<ReadAnswer>;

/** In the process of query-service itself. */
export const readsOf =
  (app: FastifyInstance): Reads =>
  async ({ path, headers, address }) => {
    const {
      statusCode,
      headers: answered,
      body,
    } = await app.inject({
      method: 'GET',
      url: path,
      headers,
      remoteAddress: address,
    });
    return { status: statusCode, link: answered.link?.toString() ?? null, body };
  };

/** In another process, at this address. Throws a refusal when it can't be reached. */
export const readsAt =
  (url: string): Reads =>
  async ({ path, headers, address }) => {
    try {
      const response = await fetch(new URL(path, url), {
        headers: { ...headers, 'x-forwarded-for': address },
        redirect: 'error',
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
      });
      const body = await response.text();
      return { status: response.status, link: response.headers.get('link'), body };
    } catch {
      throw new RefusalError(DependencyDown({ what: 'The query service' }));
    }
  };
