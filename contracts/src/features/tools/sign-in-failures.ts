import { sentence } from '../../kernel/sentence.ts';

/** Why a member was not signed in at an MCP server. */
export const SignInNotTaken = sentence('sign-in_not-taken', () => 'This tool takes no sign-in.');
export const SignInUnknown = sentence(
  'sign-in_unknown',
  () =>
    'This sign-in is not known: it was completed already, or begun by another member. Choose Sign In again.',
);
export const SignInOld = sentence(
  'sign-in_old',
  (p: { minutes: number }) =>
    `This sign-in was begun more than ${p.minutes} minutes ago. Choose Sign In again.`,
);
export const SignInMoved = sentence(
  'sign-in_moved',
  () => 'The tool was changed since this sign-in began. Choose Sign In again.',
);
export const SignInAnsweredByOther = sentence(
  'sign-in_other-server',
  () =>
    'The answer came from another authorization server than the sign-in began at. Choose Sign In again.',
);
export const SignInWithoutCode = sentence(
  'sign-in_no-code',
  () => 'The authorization server sent no code. Choose Sign In again.',
);
export const SignInDenied = sentence(
  'sign-in_denied',
  () => 'Access was denied on the authorization page.',
);
/** `error`: a code of RFC 6749. */
export const SignInRefusedWith = sentence(
  'sign-in_refused',
  (p: { error: string }) =>
    `The authorization server refused the sign-in (${p.error}). Sign in again.`,
);
export const SignInRefusedUnnamed = sentence(
  'sign-in_refused-unnamed',
  () => 'The authorization server refused the sign-in. Sign in again.',
);
export const SignInElsewhere = sentence(
  'sign-in_elsewhere',
  () =>
    "The MCP server names another authorization server now. Enter the client's id and secret again.",
);
export const SignInNeedsClient = sentence(
  'sign-in_needs-client',
  () =>
    'The authorization server registers no clients. Register one there by hand, and enter its id in the tool.',
);
export const SignInInsecure = sentence(
  'sign-in_insecure',
  () => 'The addresses of the authorization server must begin with https.',
);
export const SignInUnreadable = sentence(
  'sign-in_unreadable',
  () => "The authorization server's answer can't be read.",
);
