import { connectMailbox } from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import { address, emailRule, type Form, type Rule, text } from './form-rules.ts';
import { unreachable } from './mailboxes.ts';

const server = () => ({ ...unreachable(), emailAddress: address() });
const gmail = () => ({
  providerType: 'gmail',
  emailAddress: address(),
  credentials: { clientId: 'client', clientSecret: 'secret', refreshToken: 'token' },
});

/** With other credentials, an address of its own each time. */
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

/** A text of one line that must be there. */
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
        message: 'The template must have {{answer}} where the answer goes',
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
