import { shortHost } from '@tallyhand/contracts/features/tools/allowed-hosts';
import { bindingOf, differingParts } from '@tallyhand/contracts/features/tools/tool-binding';
import type { Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import {
  CREDENTIAL_FIELDS,
  OAUTH_CLIENT_FIELDS,
  type ToolChange,
  type ToolConfig,
  type ToolInput,
} from '@tallyhand/contracts/features/tools/tools.fields';
import { type PolicyValues, policiesOf, policyValuesOf, samePolicies } from './tool-policies.ts';

export type NamedText = { name: string; value: string };

/** What the form holds. Fields that the chosen type does not show keep what was typed in them. */
export type ToolValues = {
  name: string;
  description: string;
  type: ToolInput['type'];
  authType: ToolConfig['authType'];
  baseUrl: string;
  headers: NamedText[];
  openapi: string;
  script: string;
  /** One in each line. */
  allowedHosts: string;
  startUrl: string;
  policies: PolicyValues;
  /** By the names that CREDENTIAL_FIELDS has. */
  credentials: Record<string, string>;
  /** Further credentials of a `custom` tool. */
  secrets: NamedText[];
  /** Those that are kept are to be replaced by what is typed. */
  replacing: boolean;
};

/** The extra that a type's own field holds. */
const OWN_EXTRA = { custom: 'script', browser: 'startUrl' } as const;

/** Types that call a server at an address of their own, with headers. */
export const hasAddress = (type: ToolInput['type']): type is 'api' | 'mcp' =>
  type === 'api' || type === 'mcp';

export function valuesOf(tool?: Tool): ToolValues {
  const { baseUrl = '', authType = 'none', extras = {}, openapi = '' } = tool?.config ?? {};
  const type = tool?.type ?? 'api';
  return {
    name: tool?.name ?? '',
    description: tool?.description ?? '',
    type,
    authType,
    baseUrl,
    openapi,
    headers: hasAddress(type)
      ? Object.entries(extras).map(([name, value]) => ({ name, value }))
      : [],
    script: type === 'custom' ? (extras.script ?? '') : '',
    allowedHosts: (tool?.config.allowedHosts ?? []).join('\n'),
    startUrl: type === 'browser' ? (extras.startUrl ?? '') : '',
    policies: policyValuesOf(tool),
    credentials: {
      apiKey: '',
      token: '',
      username: '',
      password: '',
      clientId: '',
      clientSecret: '',
    },
    secrets: type === 'custom' ? keptSecrets({ authType }, tool) : [],
    replacing: false,
  };
}

/** A row for each kept credential that is not of the kind of access, whose value must be entered again. */
export function keptSecrets(values: Pick<ToolValues, 'authType'>, tool?: Tool): NamedText[] {
  const needed = neededOf(values);
  return knownNames(tool)
    .filter((name) => !needed.includes(name))
    .map((name) => ({ name, value: '' }));
}

/** An added row that was left empty is no row. */
export const isFilled = ({ name, value }: NamedText) => name.trim() !== '' || value !== '';

export function configOf(values: ToolValues, tool?: Tool): ToolConfig {
  // What the form does not show of a tool stays with it, as long as its type does.
  const before = tool?.type === values.type ? tool.config : undefined;
  const { authType } = values;
  const { type } = values;
  if (hasAddress(type)) {
    const extras = Object.fromEntries(
      values.headers.filter(isFilled).map(({ name, value }) => [name.trim(), value]),
    );
    const openapi = values.openapi.trim() === '' ? {} : { openapi: values.openapi };
    const mcpTools = before?.mcpTools ? { mcpTools: before.mcpTools } : {};
    const rest = type === 'api' ? openapi : mcpTools;
    return { baseUrl: values.baseUrl.trim(), authType, extras, ...rest };
  }
  const own = OWN_EXTRA[type];
  const { [own]: _, ...others } = before?.extras ?? {};
  const text = type === 'custom' ? values.script : values.startUrl.trim();
  const extras = text.trim() === '' ? others : { ...others, [own]: text };
  const { allowedHosts: _hosts, ...rest } = before ?? {};
  const allowedHosts = type === 'custom' ? hostsOf(values) : [];
  return {
    baseUrl: '',
    ...rest,
    authType,
    extras,
    ...(allowedHosts.length > 0 ? { allowedHosts } : {}),
  };
}

export const hostsOf = ({ allowedHosts }: Pick<ToolValues, 'allowedHosts'>) =>
  allowedHosts.split(/[\s,]+/).filter((host) => host !== '');

/** The names of the credentials that are kept, or that were and have to be entered again. */
function knownNames(tool?: Tool): readonly string[] {
  return tool?.credentialsRequired?.names ?? tool?.credentialNames ?? [];
}

/** Whether the kept credentials were entered for something else than what the form describes. */
export function movesCredentials(values: ToolValues, tool?: Tool): boolean {
  if (!tool || tool.credentialNames.length === 0 || forgetsCredentials(values, tool)) return false;
  const { type } = values;
  const wanted = bindingOf({ type, config: configOf(values, tool) });
  return differingParts(bindingOf(tool), wanted).length > 0;
}

/** The credentials' fields that the kind of access needs. */
export const neededOf = ({ authType }: Pick<ToolValues, 'authType'>) => CREDENTIAL_FIELDS[authType];

/** Whether there are fields to type credentials in; else those that are kept serve. */
export function asksForCredentials(values: ToolValues, tool?: Tool): boolean {
  const kept = tool?.credentialNames ?? [];
  const suffice = kept.length > 0 && neededOf(values).every((name) => kept.includes(name));
  return values.replacing || !suffice || movesCredentials(values, tool);
}

/** Whether the present credentials go because their kind of access does. */
export function forgetsCredentials(values: ToolValues, tool?: Tool): boolean {
  if (!tool || values.type === 'custom' || values.authType !== 'none') return false;
  return tool.credentialNames.length > 0 && tool.config.authType !== 'none';
}

/** Whether the fields were opened and left as they were: what is kept stays. */
export function isUntouched(values: ToolValues, tool?: Tool): boolean {
  const kept = knownNames(tool);
  const [rows, before] =
    values.type === 'custom' ? [values.secrets, keptSecrets(values, tool)] : [[], []];
  const namesOf = (texts: readonly NamedText[]) => texts.map(({ name }) => name.trim()).sort();
  return (
    kept.length > 0 &&
    neededOf(values).every((name) => kept.includes(name) && values.credentials[name] === '') &&
    rows.every(({ value }) => value === '') &&
    `${namesOf(rows)}` === `${namesOf(before)}`
  );
}

/** The credentials to send; undefined where the kept ones stay. */
export function credentialsOf(values: ToolValues, tool?: Tool): Record<string, string> | undefined {
  if (forgetsCredentials(values, tool)) return {};
  if (values.authType === 'oauth') return clientOf(values);
  if (!asksForCredentials(values, tool) || isUntouched(values, tool)) return undefined;
  const rows = values.type === 'custom' ? values.secrets.filter(isFilled) : [];
  const typed = Object.fromEntries([
    ...neededOf(values).map((name) => [name, values.credentials[name] ?? '']),
    ...rows.map(({ name, value }) => [name.trim(), value]),
  ]);
  const isNothing = Object.keys(typed).length === 0;
  return isNothing && !tool?.credentialNames.length ? undefined : typed;
}

/** A client that was registered by hand; undefined where none was typed. */
function clientOf({ credentials }: ToolValues): Record<string, string> | undefined {
  const typed = OAUTH_CLIENT_FIELDS.flatMap((name) => {
    const value = credentials[name] ?? '';
    return value === '' ? [] : [[name, value]];
  });
  return typed.length > 0 ? Object.fromEntries(typed) : undefined;
}

export function inputOf(values: ToolValues): ToolInput {
  const { name, description, type } = values;
  const authCredentials = credentialsOf(values) ?? {};
  const policies = policiesOf(values.policies);
  const own = { name, description, type, config: configOf(values), authCredentials };
  return policies ? { ...own, policies } : own;
}

/**
 * Only what differs from the tool; empty where nothing does. Credentials come with all that decides
 * where they are sent: another member may have moved the tool since the form was opened.
 */
export function changeOf(values: ToolValues, tool: Tool): ToolChange {
  const { type } = values;
  const config = configOf(values, tool);
  const authCredentials = credentialsOf(values, tool);
  const policies = policiesOf(values.policies);
  return {
    ...(values.name.trim() === tool.name ? {} : { name: values.name }),
    ...(values.description.trim() === tool.description ? {} : { description: values.description }),
    ...(type === tool.type && !authCredentials ? {} : { type }),
    ...(sameConfig(config, tool.config) && !authCredentials ? {} : { config }),
    ...(!policies || samePolicies(policies, tool.policies) ? {} : { policies }),
    ...(authCredentials ? { authCredentials } : {}),
  };
}

function sameConfig(a: ToolConfig, b: ToolConfig): boolean {
  const sorted = ({ baseUrl, authType, extras, openapi = '', allowedHosts = [] }: ToolConfig) => {
    const hosts = allowedHosts.map(shortHost).sort();
    return JSON.stringify([baseUrl, authType, openapi, Object.entries(extras).sort(), hosts]);
  };
  return sorted(a) === sorted(b);
}

/** Whether a field of the form holds what is never shown again. */
export const isSecretField = (name: string) =>
  name === 'secrets' || name === 'replacing' || name.startsWith('credentials.');

/**
 * Credentials that were typed for one place are not sent to another one, to which another member has
 * moved the tool meanwhile. Gives the same values where nothing was typed, or nothing moved.
 */
export function withoutMovedCredentials(
  merged: ToolValues,
  mine: ToolValues,
  seen: Tool,
  theirs: Tool,
): ToolValues {
  const typed = [...Object.values(mine.credentials), ...mine.secrets.map(({ value }) => value)];
  const [from, to] = [
    bindingOf({ type: mine.type, config: configOf(mine, seen) }),
    bindingOf({ type: merged.type, config: configOf(merged, theirs) }),
  ];
  const isMoved = differingParts(from, to).length > 0;
  if (!isMoved || typed.every((value) => value === '')) return merged;
  return {
    ...merged,
    credentials: valuesOf().credentials,
    secrets: merged.secrets.map(({ name }) => ({ name, value: '' })),
  };
}
