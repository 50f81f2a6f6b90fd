import type { Endpoint } from './endpoint.ts';

const ACCOUNT_PATHS = /^\/api\/(user|login|logout|register|notifications)(\/|$)/;

/**
 * Calls about a person's own account, as their password, their sign-ins or what they have read. An
 * API key is no person: it is refused here, whatever its role.
 */
export const isPersonal = ({ path }: Pick<Endpoint, 'path'>) => ACCOUNT_PATHS.test(path);
