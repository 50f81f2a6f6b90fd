import {
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  OAuthErrorCode,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client';
import {
  SignInAnsweredByOther,
  SignInDenied,
  SignInInsecure,
  SignInRefusedUnnamed,
  SignInRefusedWith,
  SignInUnreadable,
} from '@tallyhand/contracts/features/tools/sign-in-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import { z } from 'zod';
import { OutboundFailed, OutboundRefused } from '../guard/outbound-errors.ts';
import { McpFailed } from './mcp-errors.ts';

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

const FOR_GOOD: readonly string[] = [
  OAuthErrorCode.InvalidGrant,
  OAuthErrorCode.InvalidClient,
  OAuthErrorCode.UnauthorizedClient,
  OAuthErrorCode.UnsupportedGrantType,
];

/** The failure of a step, in words without secrets: a server may repeat what it was sent. */
export function signInFailure(error: unknown): Error {
  if (error instanceof OutboundRefused || error instanceof OutboundFailed) return error;
  if (error instanceof McpFailed) return error;
  if (error instanceof IssuerMismatchError) return new SignInFailed(MISMATCH[error.kind]);
  if (error instanceof InsecureTokenEndpointError || isRefusedAddress(error)) {
    return new SignInFailed(SignInInsecure({}));
  }
  if (error instanceof RegistrationRejectedError) {
    return new SignInFailed(
      `The authorization server registers no client for this product (status ${error.status}). Register one there by hand, and enter its id in the tool.`,
    );
  }
  if (error instanceof OAuthError) return refusedWith(error.code);
  return new SignInFailed(SignInUnreadable({}));
}

/** The package itself refuses addresses such as `javascript:`, with an issue of its own kind. */
const isRefusedAddress = (error: unknown) =>
  error instanceof z.ZodError && error.issues.some(({ code }) => code === 'custom');

const MISMATCH = {
  metadata: 'The authorization server says that it is another one.',
  authorization_response: SignInAnsweredByOther({}),
} as const;

/** `code`: a server's own word. */
export function refusedWith(code: string): SignInRefused {
  if (code === OAuthErrorCode.AccessDenied) {
    return new SignInRefused(SignInDenied({}), code);
  }
  const isNamed = /^[a-z_]{1,40}$/.test(code);
  const said = isNamed ? SignInRefusedWith({ error: code }) : SignInRefusedUnnamed({});
  return new SignInRefused(said, code);
}
