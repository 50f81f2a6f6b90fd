import { z } from 'zod';
import { EmailAddress } from '../identity/identity.fields.ts';

export const PROVIDERS = ['gmail', 'pop3', 'imap'] as const;
/** In seconds. */
export const POLL_INTERVALS = [60, 300, 600, 1800, 3600] as const;
export const POLL_INTERVAL = 300;
export const PORTS = { pop3: 995, imap: 993, smtp: 587 } as const;
export const REPLY_TEMPLATE_MAX = 10_000;
/** Placeholders of a template, in double braces. */
export const TEMPLATE_FIELDS = ['answer', 'subject', 'name', 'agent'] as const;
export const REPLY_TEMPLATE = '{{answer}}\n\n-- \n{{agent}}';

const SECRET_MAX = 4_000;

const text = (name: string, max = 320) =>
  z
    .string({ error: `${name} is required` })
    .trim()
    .min(1, `${name} is required`)
    .max(max, `${name} must be at most ${max} characters`)
    // A line break would start another command to the mail server.
    .refine((value) => !/[\r\n\0]/.test(value), `${name} must be one line`);

/** Leading and trailing spaces may be part of the password. */
const Password = z
  .string({ error: 'Password is required' })
  .min(1, 'Password is required')
  .max(SECRET_MAX, `Password must be at most ${SECRET_MAX} characters`)
  .refine((value) => !/[\r\n\0]/.test(value), 'Password must be one line');

const Port = z
  .int({ error: 'Port must be a number' })
  .min(1, 'Port must be at least 1')
  .max(65_535, 'Port must be at most 65535');

/**
 * Sends the replies of POP3 and IMAP mailboxes. `tls`: from the start; otherwise STARTTLS, on 25
 * and 587.
 */
export const SmtpCredentials = z.strictObject(
  {
    host: text('Host'),
    port: Port.default(PORTS.smtp),
    username: text('Username'),
    password: Password,
    tls: z.boolean({ error: 'tls must be true or false' }).default(true),
  },
  { error: 'smtp must be an object' },
);
export type SmtpCredentials = z.infer<typeof SmtpCredentials>;

const server = (port: number) =>
  z.strictObject(
    {
      host: text('Host'),
      port: Port.default(port),
      username: text('Username'),
      password: Password,
      ssl: z.boolean({ error: 'ssl must be true or false' }).default(true),
      smtp: SmtpCredentials.optional(),
    },
    { error: 'Credentials are required' },
  );

export const GmailCredentials = z.strictObject(
  {
    clientId: text('Client ID', SECRET_MAX),
    clientSecret: text('Client secret', SECRET_MAX),
    refreshToken: text('Refresh token', SECRET_MAX),
  },
  { error: 'Credentials are required' },
);
export type GmailCredentials = z.infer<typeof GmailCredentials>;

const Pop3Credentials = server(PORTS.pop3);
const ImapCredentials = server(PORTS.imap);
export type ServerCredentials = z.infer<typeof ImapCredentials>;

export const SyncSettings = z.strictObject(
  {
    pollInterval: z
      .literal(POLL_INTERVALS, {
        error: `pollInterval must be one of ${POLL_INTERVALS.join(', ')} seconds`,
      })
      .default(POLL_INTERVAL),
    autoReply: z.boolean({ error: 'autoReply must be true or false' }).default(true),
    /** The text around the agent's answer; by default `{{answer}}` alone. */
    replyTemplate: z
      .string({ error: 'replyTemplate must be a text' })
      .trim()
      .max(REPLY_TEMPLATE_MAX, `replyTemplate must be at most ${REPLY_TEMPLATE_MAX} characters`)
      .refine(
        (template) => template === '' || template.includes('{{answer}}'),
        'The template must contain {{answer}}',
      )
      .default(''),
    markAsRead: z.boolean({ error: 'markAsRead must be true or false' }).default(true),
  },
  { error: 'syncSettings must be an object' },
);
export type SyncSettings = z.infer<typeof SyncSettings>;

const shared = {
  emailAddress: EmailAddress,
  syncSettings: SyncSettings.prefault({}),
};

/** A mailbox with its connection settings; credentials are never returned. */
export const MailboxInput = z.discriminatedUnion(
  'providerType',
  [
    z.strictObject({
      providerType: z.literal('gmail'),
      credentials: GmailCredentials,
      ...shared,
    }),
    z.strictObject({ providerType: z.literal('pop3'), credentials: Pop3Credentials, ...shared }),
    z.strictObject({ providerType: z.literal('imap'), credentials: ImapCredentials, ...shared }),
  ],
  { error: `providerType must be one of ${PROVIDERS.join(', ')}` },
);
export type MailboxInput = z.infer<typeof MailboxInput>;

/** Everything needed to reach a mailbox, as stored in the vault. */
export const MailboxAccess = z.discriminatedUnion('provider', [
  z.object({ provider: z.literal('gmail'), ...GmailCredentials.shape }),
  z.object({ provider: z.literal('pop3'), ...Pop3Credentials.shape }),
  z.object({ provider: z.literal('imap'), ...ImapCredentials.shape }),
]);
export type MailboxAccess = z.infer<typeof MailboxAccess>;
