import {
  SignInDenied,
  SignInRefusedUnnamed,
  SignInRefusedWith,
} from '@tallyhand/contracts/features/tools/sign-in-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';

/**
 * A call that an MCP server did not answer as it should. The message can be shown to members; it may
 * contain the server's own words.
 */
export class McpFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'McpFailed';
  }
}

/** The server no longer knows the session. A new one may do what this one could not. */
export class McpForgotten extends McpFailed {
  constructor() {
    super('The MCP server answered with status 404.');
    this.name = 'McpForgotten';
  }
}

/** A sign-in at an MCP server that did not succeed. The message can be shown to members. */
export class SignInFailed extends McpFailed {
  /** The message as pages translate it, if they do. */
  readonly sentence: Sentence | undefined;

  constructor(said: string | Sentence) {
    super(typeof said === 'string' ? said : said.text);
    this.name = 'SignInFailed';
    this.sentence = typeof said === 'string' ? undefined : said;
  }
}

/** The authorization server refused, with a code of RFC 6749. */
export class SignInRefused extends SignInFailed {
  /** Whether no repetition of the request changes that. */
  readonly isForGood: boolean;

  constructor(said: Sentence, code: string) {
    super(said);
    this.name = 'SignInRefused';
    this.isForGood = FOR_GOOD.includes(code);
  }
}

const FOR_GOOD = [
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
];

/** `code`: a server's own word. */
export function refusedWith(code: string): SignInRefused {
  if (code === 'access_denied') {
    return new SignInRefused(SignInDenied({}), code);
  }
  const isNamed = /^[a-z_]{1,40}$/.test(code);
  const said = isNamed ? SignInRefusedWith({ error: code }) : SignInRefusedUnnamed({});
  return new SignInRefused(said, code);
}
