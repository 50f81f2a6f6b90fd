import { APIError } from 'openai';

/** What endpoints say of a request with images that they can't read. */
const REFUSED = /image|vision|multi-?modal|content must be a string|unknown variant/i;

/** Whether an endpoint has refused a request because of its images. */
export const refusesImages = (error: unknown): boolean =>
  error instanceof APIError &&
  [400, 404, 415, 422, 501].includes(error.status ?? 0) &&
  REFUSED.test(`${error.code ?? ''} ${error.param ?? ''} ${error.message}`);
