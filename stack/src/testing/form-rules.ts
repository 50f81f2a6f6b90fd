import { connectMailbox } from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import {
  openTicket,
  sendContactMessage,
} from '@tallyhand/contracts/features/support/support.endpoints';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import { unreachable } from './mailboxes.ts';

export const text = (length: number) => 'x'.repeat(length);
export const address = () => `${crypto.randomUUID()}@example.com`;

/** A rule of one field. */
export type Rule = {
  /** The field's name in the refusal. */
  readonly path: string;
  readonly message: string;
  /** A value just inside the rule, and one just outside. */
  readonly right: readonly object[];
  readonly wrong: readonly object[];
};
/** A call that takes a form, and the rules of its fields. */
export type Form = {
  readonly endpoint: Endpoint;
  readonly statuses: readonly number[];
  readonly base: () => object;
  readonly rules: readonly Rule[];
};

const EMAIL = 'Please enter a valid email address';
export const emailRule: Rule = {
  path: 'email',
  message: EMAIL,
  right: [],
  wrong: ['', 'name', 'name@', '@example.com', 'name@example', 'a b@example.com', 'a@b@c.com']
    .concat(`${text(250)}@example.com`)
    .map((email) => ({ email })),
};

/** The rules and messages of the forms that lead to support. */
export const supportForms: Record<string, Form> = {
  'landing contact': {
    endpoint: sendContactMessage,
    statuses: [201],
    base: () => ({ name: 'Ada', email: address(), message: 'Hello' }),
    rules: [
      {
        path: 'name',
        message: 'Please enter your name',
        right: [{ name: 'x' }],
        wrong: [{ name: '' }, { name: '  ' }, { name: undefined }],
      },
      emailRule,
      {
        path: 'company',
        message: 'Company must be at most 200 characters',
        right: [{ company: '' }, { company: text(200) }, { company: undefined }],
        wrong: [{ company: text(201) }],
      },
      {
        path: 'message',
        message: 'Please enter a message',
        right: [{ message: 'x' }, { message: text(5_000) }],
        wrong: [{ message: '' }, { message: ' \n ' }, { message: undefined }],
      },
      {
        path: 'message',
        message: 'Message must be at most 5000 characters',
        right: [],
        wrong: [{ message: text(5_001) }],
      },
    ],
  },
  'support ticket': {
    endpoint: openTicket,
    statuses: [201],
    base: () => ({ name: 'Ada', email: address(), subject: 'Question', message: text(20) }),
    rules: [
      {
        path: 'name',
        message: 'Name must be at least 2 characters',
        right: [{ name: 'xy' }],
        wrong: [{ name: 'x' }, { name: ' x ' }, { name: undefined }],
      },
      emailRule,
      {
        path: 'subject',
        message: 'Subject must be at least 5 characters',
        right: [{ subject: text(5) }, { subject: text(200) }],
        wrong: [{ subject: text(4) }, { subject: `${text(4)}  ` }, { subject: undefined }],
      },
      {
        path: 'message',
        message: 'Message must be at least 20 characters',
        right: [{ message: text(5_000) }],
        wrong: [{ message: text(19) }, { message: undefined }],
      },
      {
        path: 'priority',
        message: 'Priority must be one of low, medium, high, urgent',
        right: ['low', 'medium', 'high', 'urgent', undefined].map((priority) => ({ priority })),
        wrong: [{ priority: 'Low' }, { priority: '' }],
      },
      {
        path: 'category',
        message: 'Category must be one of general, technical, billing, feature_request, bug_report',
        right: ['general', 'technical', 'billing', 'feature_request', 'bug_report', undefined].map(
          (category) => ({ category }),
        ),
        wrong: [{ category: 'sales' }, { category: '' }],
      },
    ],
  },
};

const server = () => ({ ...unreachable(), emailAddress: address() });
const gmail = () => ({
  providerType: 'gmail',
  emailAddress: address(),
  credentials: { clientId: 'client', clientSecret: 'secret', refreshToken: 'token' },
});

/** With other credentials, a new address each time. */
const withCredentials = (base: () => { credentials: object }) => (change: object) => {
  const { credentials, ...rest } = base();
  return { ...rest, credentials: { ...credentials, ...change } };
};
const fetching = withCredentials(server);
const signingIn = withCredentials(gmail);
const sending = (change: object) => {
  const { credentials } = server();
  return fetching({ smtp: { ...credentials.smtp, ...change } });
};
const syncing = (change: object) => ({ ...server(), syncSettings: change });

type Change = (change: object) => object;

/** A required text of one line. */
const line = (path: string, label: string, max: number, change: Change): Rule[] => {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const set = (value: unknown) => change({ [name]: value });
  return [
    { path, message: `${label} is required`, right: [set('x')], wrong: [set(''), set(undefined)] },
    {
      path,
      message: `${label} must be at most ${max} characters`,
      right: [set(text(max))],
      wrong: [set(text(max + 1))],
    },
    { path, message: `${label} must be one line`, right: [], wrong: [set('a\r\nb'), set('a\nb')] },
  ];
};

const port = (path: string, change: Change): Rule[] => [
  {
    path,
    message: 'Port must be a number',
    right: [change({ port: undefined })],
    wrong: [change({ port: '993' }), change({ port: 1.5 })],
  },
  {
    path,
    message: 'Port must be at least 1',
    right: [change({ port: 1 })],
    wrong: [change({ port: 0 })],
  },
  {
    path,
    message: 'Port must be at most 65535',
    right: [change({ port: 65_535 })],
    wrong: [change({ port: 65_536 })],
  },
];

/** The rules and messages of the form that connects a mailbox. */
export const mailboxForms: Record<string, Form> = {
  mailbox: {
    endpoint: connectMailbox,
    statuses: [201],
    base: server,
    rules: [
      {
        ...emailRule,
        path: 'emailAddress',
        wrong: emailRule.wrong.map((change) => ({ emailAddress: Object.values(change)[0] })),
      },
      {
        path: 'providerType',
        message: 'providerType must be one of gmail, pop3, imap',
        right: [{ ...server(), providerType: 'pop3' }],
        wrong: [{ providerType: 'exchange' }],
      },
      ...line('credentials.host', 'Host', 320, fetching),
      ...line('credentials.username', 'Username', 320, fetching),
      ...line('credentials.password', 'Password', 4_000, fetching),
      ...port('credentials.port', fetching),
      ...line('credentials.smtp.host', 'Host', 320, sending),
      ...line('credentials.smtp.username', 'Username', 320, sending),
      ...line('credentials.smtp.password', 'Password', 4_000, sending),
      ...port('credentials.smtp.port', sending),
      {
        path: 'syncSettings.pollInterval',
        message: 'pollInterval must be one of 60, 300, 600, 1800, 3600 seconds',
        right: [60, 3600, undefined].map((pollInterval) => syncing({ pollInterval })),
        wrong: [59, 0, '60'].map((pollInterval) => syncing({ pollInterval })),
      },
      {
        path: 'syncSettings.replyTemplate',
        message: 'The template must contain {{answer}}',
        right: ['', '{{answer}}'].map((replyTemplate) => syncing({ replyTemplate })),
        wrong: [syncing({ replyTemplate: 'Thank you.' })],
      },
      {
        path: 'syncSettings.replyTemplate',
        message: 'replyTemplate must be at most 10000 characters',
        right: [syncing({ replyTemplate: `{{answer}}${text(9_990)}` })],
        wrong: [syncing({ replyTemplate: `{{answer}}${text(9_991)}` })],
      },
    ],
  },
  'mailbox of Gmail': {
    endpoint: connectMailbox,
    statuses: [201],
    base: gmail,
    rules: [
      ...line('credentials.clientId', 'Client ID', 4_000, signingIn),
      ...line('credentials.clientSecret', 'Client secret', 4_000, signingIn),
      ...line('credentials.refreshToken', 'Refresh token', 4_000, signingIn),
    ],
  },
};
