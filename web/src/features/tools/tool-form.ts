import type { Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import {
  type ToolChange,
  ToolConfig,
  ToolInput,
} from '@tallyhand/contracts/features/tools/tools.fields';
import { isHttpUrl } from '@tallyhand/contracts/kernel/http-url';
import { z } from 'zod';
import type { Form } from '../../app/form.ts';
import { openapiSummary } from './openapi-summary.ts';
import {
  asksForCredentials,
  changeOf,
  configOf,
  credentialsOf,
  hasAddress,
  hostsOf,
  inputOf,
  isFilled,
  isUntouched,
  type NamedText,
  neededOf,
  type ToolValues,
} from './tool-values.ts';

type Fault = { path: string; message: string };

/** What the form sends, for a new tool or for the one that it changes. */
export type ToolBody = { create: ToolInput } | { change: ToolChange };

export type ToolFormApi = Form<ToolValues, ToolBody>;

/** Names that an HTTP header can have. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** They carry credentials, which headers are no place for. */
const SECRET_HEADERS = ['authorization', 'cookie'];
const SECRET_NAME = /^\w{1,100}$/;

/**
 * Checks the form by the rules of the contracts and by those of its rows, each fault at its
 * field, and gives the body to send.
 */
export function toolForm(tool?: Tool) {
  return z
    .custom<ToolValues>()
    .superRefine((values, context) => {
      for (const { path, message } of faultsOf(values, tool)) {
        context.addIssue({ code: 'custom', path: path.split('.'), message });
      }
    })
    .transform((values): ToolBody => {
      return tool
        ? { change: changeOf(values, tool) }
        : { create: ToolInput.parse(inputOf(values)) };
    });
}

function faultsOf(values: ToolValues, tool?: Tool): Fault[] {
  const own = [
    ...(hasAddress(values.type) ? headerFaults(values.headers) : []),
    ...(values.type === 'api' ? openapiFaults(values) : []),
    ...(values.type === 'browser' ? startUrlFaults(values) : []),
    ...signInFaults(values),
    ...credentialFaults(values, tool),
  ];
  const whole = ToolInput.safeParse({
    ...inputOf(values),
    config: configOf(values, tool),
    authCredentials: credentialsOf(values, tool) ?? {},
  });
  const contract = (whole.error?.issues ?? [])
    // Faults in names of rows are shown at their own fields.
    .filter(({ code }) => code !== 'invalid_key')
    .map(({ path, message }) => ({ path: fieldOf(path.join('.'), values), message }));
  // The first fault of a field is the one that is shown.
  const seen = new Set<string>();
  return [...own, ...contract].filter(({ path }) => !seen.has(path) && seen.add(path));
}

function headerFaults(rows: readonly NamedText[]): Fault[] {
  return rowFaults('headers', rows, (name) => {
    if (SECRET_HEADERS.includes(name.toLowerCase())) return 'Choose an authentication for this';
    return HEADER_NAME.test(name) ? undefined : 'Not a valid header name';
  });
}

function startUrlFaults({ startUrl }: ToolValues): Fault[] {
  const [issue] = ToolConfig.shape.baseUrl.safeParse(startUrl).error?.issues ?? [];
  return issue ? [{ path: 'startUrl', message: issue.message }] : [];
}

function openapiFaults({ openapi }: ToolValues): Fault[] {
  if (openapi.trim() === '') return [];
  const { kind } = openapiSummary(openapi);
  const messages = {
    operations: undefined,
    unread: undefined,
    'not-json': 'This is not valid JSON',
    'not-openapi': 'This is not an OpenAPI 3.0 or 3.1 document',
    'no-operations': 'This document has no operations',
  };
  const message = messages[kind];
  return message ? [{ path: 'openapi', message }] : [];
}

/** Members sign in at MCP servers that have an address. */
function signInFaults({ type, authType, baseUrl, credentials }: ToolValues): Fault[] {
  if (authType !== 'oauth') return [];
  if (type !== 'mcp' || !isHttpUrl(baseUrl.trim())) {
    const message = 'OAuth is for MCP servers with an http or https address only';
    return [{ path: 'authType', message }];
  }
  return credentials.clientSecret && !credentials.clientId
    ? [{ path: 'credentials.clientId', message: 'Required with a client secret' }]
    : [];
}

function credentialFaults(values: ToolValues, tool?: Tool): Fault[] {
  if (!asksForCredentials(values, tool) || isUntouched(values, tool)) return [];
  const needed = neededOf(values);
  const missing = needed
    .filter((name) => !values.credentials[name])
    .map((name) => {
      return { path: `credentials.${name}`, message: 'Required for this authentication type' };
    });
  if (values.type !== 'custom') return missing;
  const rows = rowFaults('secrets', values.secrets, (name) => {
    if (!SECRET_NAME.test(name)) return 'Use only letters, digits and _';
    return needed.includes(name) ? 'This name is already in use' : undefined;
  });
  const sent = Object.keys(credentialsOf(values, tool) ?? {});
  const hosts =
    sent.length > 0 && hostsOf(values).length === 0
      ? [{ path: 'allowedHosts', message: 'Enter the hosts that the credentials can be sent to' }]
      : [];
  const empty = values.secrets.flatMap(({ name, value }, index) =>
    name.trim() !== '' && value === ''
      ? [{ path: `secrets.${index}.value`, message: 'Must not be empty' }]
      : [],
  );
  return [...hosts, ...missing, ...rows, ...empty];
}

/** Each row has a name, fit for its list, that no other row has. */
function rowFaults(
  list: 'headers' | 'secrets',
  rows: readonly NamedText[],
  unfit: (name: string) => string | undefined,
): Fault[] {
  const names = rows.map(({ name }) =>
    list === 'headers' ? name.trim().toLowerCase() : name.trim(),
  );
  return rows.flatMap((row, index) => {
    if (!isFilled(row)) return [];
    const name = row.name.trim();
    const isRepeated = names.indexOf(names[index] ?? '') < index;
    const message =
      name === ''
        ? 'A name is required'
        : (unfit(name) ?? (isRepeated ? 'This name is already in use' : undefined));
    return message ? [{ path: `${list}.${index}.name`, message }] : [];
  });
}

/** The field of the form that shows a refusal of one of the API's fields. */
export function fieldOf(path: string, values: ToolValues): string {
  const [head, second, ...rest] = path.split('.');
  const row = (list: 'headers' | 'secrets', name: string) => {
    const index = values[list].findIndex((one) => one.name.trim() === name);
    return index < 0 ? list : `${list}.${index}.value`;
  };
  if (head === 'authCredentials') {
    const name = path.slice(head.length + 1);
    const isField = values.authType === 'oauth' || neededOf(values).includes(name);
    return isField ? `credentials.${name}` : row('secrets', name);
  }
  if (head !== 'config' || second === undefined) return path;
  if (second !== 'extras') return second;
  return hasAddress(values.type) ? row('headers', rest.join('.')) : (rest[0] ?? path);
}
