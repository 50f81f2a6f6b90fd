import {
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client';
import {
  SignInAnsweredByOther,
  SignInInsecure,
  SignInUnreadable,
} from '@tallyhand/contracts/features/tools/sign-in-failures';
import { z } from 'zod';
import { OutboundFailed, OutboundRefused } from '../guard/outbound-errors.ts';
import { McpFailed, refusedWith, SignInFailed } from './mcp-failed.ts';

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
