import { describe, expect, it } from 'vitest';
import { inputOf, MailboxForm, NEW_MAILBOX, portFor } from './mailbox-form.ts';

const filled = {
  ...NEW_MAILBOX,
  emailAddress: 'support@shop.example',
  credentials: {
    ...NEW_MAILBOX.credentials,
    clientId: 'id',
    clientSecret: 'secret',
    refreshToken: 'token',
    host: 'mail.shop.example',
    username: 'support',
    password: 'secret',
    smtp: { ...NEW_MAILBOX.credentials.smtp, host: 'a', username: 'b', password: 'c' },
  },
};

describe('the form of a mailbox', () => {
  it('sends the credentials of its provider, and no others', () => {
    expect(inputOf(filled)).toMatchObject({
      providerType: 'gmail',
      credentials: { clientId: 'id', clientSecret: 'secret', refreshToken: 'token' },
    });
    const imap = inputOf({ ...filled, providerType: 'imap' });
    expect(imap).toMatchObject({ credentials: { host: 'mail.shop.example', port: 993 } });
    expect(JSON.stringify(imap)).not.toContain('refreshToken');
  });

  it('names no SMTP server when none is used', () => {
    const without = inputOf({ ...filled, providerType: 'pop3', withSmtp: false });
    expect(JSON.stringify(without)).not.toContain('smtp');
  });

  it('is the body of the call, with the interval as a number', () => {
    const settings = { ...filled.syncSettings, pollInterval: '600' as unknown as number };
    const parsed = MailboxForm.parse({ ...filled, syncSettings: settings });
    expect(parsed.syncSettings.pollInterval).toBe(600);
    expect(
      MailboxForm.safeParse(NEW_MAILBOX).error?.issues.map(({ path }) => path.join('.')),
    ).toEqual(expect.arrayContaining(['emailAddress', 'credentials.clientId']));
  });
});

describe('the port', () => {
  it('follows the provider until the member sets another', () => {
    expect(portFor('pop3', 993)).toBe(995);
    expect(portFor('imap', 995)).toBe(993);
    expect(portFor('imap', 1143)).toBe(1143);
  });
});
