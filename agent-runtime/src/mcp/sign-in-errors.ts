import {
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  OAuthErrorCode,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client';
import { OutboundFailed, OutboundRefused } from '../guard/outbound-errors.ts';
import { McpFailed } from './mcp-errors.ts';

/** A sign-in at an MCP server that did not succeed. The message can be shown to members. */
export class SignInFailed extends McpFailed {
  constructor(message: string) {
    super(message);
    this.name = 'SignInFailed';
  }
}

/** The authorization server refused, with a code of RFC 6749. */
export class SignInRefused extends SignInFailed {
  /** Whether no repetition of the request changes that. */
  readonly isForGood: boolean;

  constructor(message: string, code: string) {
    super(message);
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
  if (error instanceof InsecureTokenEndpointError) {
    return new SignInFailed('The addresses of the authorization server must begin with https.');
  }
  if (error instanceof RegistrationRejectedError) {
    return new SignInFailed(
      `The authorization server registers no client for this product (status ${error.status}). Register one there by hand, and enter its id in the tool.`,
    );
  }
  if (error instanceof OAuthError) return refusedWith(error.code);
  return new SignInFailed("The authorization server's answer can't be read.");
}

const MISMATCH = {
  metadata: 'The authorization server says that it is another one.',
  authorization_response:
    'The answer came from another authorization server than the sign-in began at. Sign in again.',
} as const;

/** `code`: a server's own word. */
export function refusedWith(code: string): SignInRefused {
  if (code === OAuthErrorCode.AccessDenied) {
    return new SignInRefused('Access was denied on the authorization page.', code);
  }
  const shown = /^[a-z_]{1,40}$/.test(code) ? ` (${code})` : '';
  const sentence = `The authorization server refused the sign-in${shown}. Sign in again.`;
  return new SignInRefused(sentence, code);
}
