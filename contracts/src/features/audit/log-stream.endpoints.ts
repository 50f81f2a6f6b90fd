import { z } from 'zod';
import { ADMINS, AUDIT_READERS } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Instant } from '../../kernel/ids.ts';

const feature = 'audit';

/** `webhook`: signed as Standard Webhooks; `syslog`: RFC 5424 over TLS; `splunk`: its HTTP Event Collector. */
export const LogStreamKind = z.enum(
  ['webhook', 'syslog', 'splunk'],
  'kind must be webhook, syslog or splunk',
);
export type LogStreamKind = z.infer<typeof LogStreamKind>;

/** The schemes of addresses. */
export const LOG_STREAM_SCHEMES: Readonly<Record<LogStreamKind, readonly string[]>> = {
  webhook: ['https:', 'http:'],
  syslog: ['tls:'],
  splunk: ['https:', 'http:'],
};

const ADDRESS_RULE = 'address must be a full address of at most 2000 characters';
const TOKEN_RULE = 'token must have 1 to 500 characters without spaces';
const AUTHORITY_RULE = 'certificateAuthority must be certificates in PEM, at most 40000 characters';
const PEM = /^\s*(-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+$/;

export const LogStreamInput = z
  .strictObject({
    kind: LogStreamKind,
    /** `https://…` for webhooks and Splunk; `tls://host:port` for syslog, whose port is 6514 if absent. */
    address: z
      .string(ADDRESS_RULE)
      .trim()
      .max(2000, ADDRESS_RULE)
      .refine(URL.canParse, ADDRESS_RULE),
    /** For Splunk. */
    token: z
      .string(TOKEN_RULE)
      .regex(/^[!-~]{1,500}$/, TOKEN_RULE)
      .optional(),
    /** For syslog: the certificates that the server's is verified with, instead of the usual ones. */
    certificateAuthority: z
      .string(AUTHORITY_RULE)
      .max(40_000, AUTHORITY_RULE)
      .regex(PEM, AUTHORITY_RULE)
      .optional(),
    /**
     * The number of the first entry to send. Without one, an existing stream continues, and a new
     * one begins with the next entry.
     */
    from: z.int('from must be a whole number').min(1, 'from must be at least 1').optional(),
  })
  .superRefine(({ kind, address, token, certificateAuthority }, { addIssue }) => {
    const wrong = (name: string, message: string) =>
      addIssue({ code: 'custom', path: [name], message });
    const url = URL.parse(address);
    const schemes = LOG_STREAM_SCHEMES[kind];
    if (url && !schemes.includes(url.protocol)) {
      const forms = schemes.map((scheme) => `${scheme}//`).join(' or ');
      wrong('address', `The address of kind ${kind} must begin with ${forms}`);
    }
    const hasPath = url && (!['', '/'].includes(url.pathname) || url.search || url.hash);
    if (kind === 'syslog' && hasPath) wrong('address', 'address must be tls://host:port');
    if (url && (url.username || url.password)) {
      wrong('address', 'address must not contain a user name or password');
    }
    if (kind === 'splunk' && token === undefined) wrong('token', 'Splunk needs a token');
    if (kind !== 'splunk' && token !== undefined) wrong('token', 'Only Splunk has a token');
    if (kind !== 'syslog' && certificateAuthority !== undefined) {
      wrong('certificateAuthority', 'Only syslog has a certificateAuthority');
    }
  });
export type LogStreamInput = z.infer<typeof LogStreamInput>;

/** Where the audit log is sent, and how far. */
export const LogStream = z.object({
  kind: LogStreamKind,
  /** Scheme, host and port: paths often contain a secret. */
  address: z.string(),
  /** The number of the newest entry that the receiver has accepted; all before it were too. */
  delivered: z.int(),
  deliveredAt: Instant.nullable(),
  /** Since when each attempt has failed, and why the last one did. */
  failingSince: Instant.nullable(),
  failure: z.string().nullable(),
  nextAttemptAt: Instant.nullable(),
  createdAt: Instant,
});
export type LogStream = z.infer<typeof LogStream>;

export const LogStreaming = z.object({
  /** Null: the log is not sent. */
  stream: LogStream.nullable(),
  /** The number of entries of the log. */
  entries: z.int(),
});
export type LogStreaming = z.infer<typeof LogStreaming>;

/** Signs what is sent to a webhook; null for other kinds. */
export const NewLogStream = LogStream.extend({ secret: z.string().nullable() });
export type NewLogStream = z.infer<typeof NewLogStream>;

const LOG_STREAM = {
  kind: 'splunk',
  address: 'https://splunk.example.com:8088',
  delivered: 12,
  deliveredAt: '2027-01-31T09:30:02.000Z',
  failingSince: null,
  failure: null,
  nextAttemptAt: null,
  createdAt: '2027-01-31T09:00:00.000Z',
} as const;

export const getLogStream = endpoint({
  name: 'getLogStream',
  method: 'GET',
  path: '/api/audit/stream',
  access: AUDIT_READERS,
  feature,
  summary: 'Retrieve the log stream',
  description:
    'Returns where the audit log is sent, how far, and what failed last. `stream` is null if it is not sent.',
  status: 200,
  answer: LogStreaming,
  answerExample: { stream: LOG_STREAM, entries: 14 },
});
export const setLogStream = endpoint({
  name: 'setLogStream',
  method: 'PUT',
  path: '/api/audit/stream',
  access: ADMINS,
  feature,
  summary: 'Set the log stream',
  description:
    'Sends each entry of the audit log and each signed checkpoint as OCSF JSON to one receiver: in order, at least once, and after a failure from where it stopped. A call replaces the receiver with its secrets. Only this answer contains the secret that signs what a webhook gets.',
  body: LogStreamInput,
  example: { kind: 'splunk', address: 'https://splunk.example.com:8088', token: 'b2c4' },
  status: 200,
  answer: NewLogStream,
  answerExample: { ...LOG_STREAM, secret: null },
});
export const endLogStream = endpoint({
  name: 'endLogStream',
  method: 'DELETE',
  path: '/api/audit/stream',
  access: ADMINS,
  feature,
  summary: 'End the log stream',
  description: 'Sends no more entries, and deletes the address and its secrets.',
  status: 204,
});
