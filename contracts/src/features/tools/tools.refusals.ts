import { refusal } from '../../kernel/refusal.ts';
import type { Sentence } from '../../kernel/sentence.ts';

export const PoliciesNeedAdmin = refusal(
  'policies-need-admin',
  403,
  'Needs an Admin',
  () =>
    'Only an Admin can make a tool’s approval settings less strict, or change a tool that acts without approval.',
);

export const DefinitionsNeedAdmin = refusal(
  'definitions-need-admin',
  403,
  'Needs an Admin',
  () => 'Only an Admin can accept the changed description of an MCP tool.',
);

/**
 * `reason`: a sentence about the tool, its server or the authorization server. `cause`: the code and
 * parameters by which a page translates it, if it is translated.
 */
export const ToolSignInFailed = refusal(
  'tool-sign-in-failed',
  409,
  'Not signed in at the MCP server',
  (p: { reason: string; cause?: Pick<Sentence, 'code' | 'params'> }) => p.reason,
);
