import {
  MailboxInput,
  POLL_INTERVAL,
  PORTS,
  type PROVIDERS,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import { z } from 'zod';

export type Provider = (typeof PROVIDERS)[number];

/** The fields of all providers; what is sent are those of the one that is chosen. */
export type MailboxFormValues = {
  providerType: Provider;
  emailAddress: string;
  credentials: {
    clientId: string;
    clientSecret: string;
    refreshToken: string;
    host: string;
    port: number;
    username: string;
    password: string;
    ssl: boolean;
    smtp: { host: string; port: number; username: string; password: string; tls: boolean };
  };
  withSmtp: boolean;
  syncSettings: {
    pollInterval: number;
    autoReply: boolean;
    replyTemplate: string;
    markAsRead: boolean;
  };
};

export const NEW_MAILBOX: MailboxFormValues = {
  providerType: 'gmail',
  emailAddress: '',
  credentials: {
    clientId: '',
    clientSecret: '',
    refreshToken: '',
    host: '',
    port: PORTS.imap,
    username: '',
    password: '',
    ssl: true,
    smtp: { host: '', port: PORTS.smtp, username: '', password: '', tls: true },
  },
  withSmtp: true,
  syncSettings: {
    pollInterval: POLL_INTERVAL,
    autoReply: true,
    replyTemplate: '',
    markAsRead: true,
  },
};

/** What the form comes to, in the shape of the call; not checked yet. */
export function inputOf(values: MailboxFormValues): unknown {
  const { providerType, emailAddress, credentials, withSmtp, syncSettings } = values;
  const { clientId, clientSecret, refreshToken, smtp, ...server } = credentials;
  const shared = {
    providerType,
    emailAddress,
    syncSettings: { ...syncSettings, pollInterval: Number(syncSettings.pollInterval) },
  };
  if (providerType === 'gmail') {
    return { ...shared, credentials: { clientId, clientSecret, refreshToken } };
  }
  return { ...shared, credentials: { ...server, ...(withSmtp ? { smtp } : {}) } };
}

export const MailboxForm = z.custom<MailboxFormValues>().transform(inputOf).pipe(MailboxInput);

/** The usual port of another provider takes the place of the usual port alone. */
export function portFor(provider: Provider, port: number): number {
  const isUsual = port === PORTS.imap || port === PORTS.pop3;
  return provider !== 'gmail' && isUsual ? PORTS[provider] : port;
}
