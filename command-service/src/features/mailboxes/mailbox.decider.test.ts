import {
  MailboxConnected,
  MailboxDisconnected,
  MailboxFailed,
  MailboxPaused,
  MailboxRecovered,
  MailboxResumed,
  MailReceived,
  ReplyDelayed,
  ReplyIntended,
  ReplyResendRequested,
  ReplySent,
  ReplyUncertain,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.events';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it } from 'vitest';
import { rulesOf } from '../../kit/testing/given.ts';
import { mailboxDecider, mailboxStream, type ReplyOutcome } from './mailbox.decider.ts';

const own = { mailboxId: derivedId('mailbox'), organizationId: derivedId('organization') };
const ada = derivedId('ada');
const mailId = derivedId('mail');
const sealed = 'sealed' as Ciphertext;
const connection = {
  ...own,
  agentId: derivedId('agent'),
  address: sealed,
  connectedBy: ada,
  provider: 'imap' as const,
  credentialsId: derivedId('credentials'),
  canReply: true,
  pollInterval: 300,
  autoReply: true,
  replyTemplate: '',
  markAsRead: true,
};
const mail = { mailId, sender: sealed, subject: sealed, taskId: derivedId('task'), reason: null };

const connected = MailboxConnected(connection);
const received = MailReceived({ ...own, ...mail });
const intended = (attempt = 1) => ReplyIntended({ ...own, mailId, attempt });
const intend = { type: 'IntendReply' as const, data: { mailId } };
const note = (outcome: ReplyOutcome, attempt = 1) => ({
  type: 'NoteReply' as const,
  data: { mailId, attempt, outcome },
});
const again = { type: 'RequestReplyAgain' as const, data: { mailId, by: ada } };
const fail = (isStopped: boolean) => ({
  type: 'Fail' as const,
  data: { code: 'timeout', isStopped },
});

const given = rulesOf(mailboxStream);

describe('ReceiveMail', () => {
  it('notes a mail once, however often it comes', () => {
    given(connected).when({ type: 'ReceiveMail', data: mail }).thenAppended(received);
    given(connected, received).when({ type: 'ReceiveMail', data: mail }).thenNothing();
  });
  it('is refused when the mailbox is disconnected or was never connected', () => {
    const disconnected = MailboxDisconnected({ ...own, disconnectedBy: ada });
    for (const when of [given(), given(connected, disconnected)]) {
      when.when({ type: 'ReceiveMail', data: mail }).thenRefused('not-found', { what: 'mailbox' });
    }
  });
});

describe('IntendReply', () => {
  it('begins the one reply to a mail', () => {
    given(connected, received).when(intend).thenAppended(intended());
  });
  it('does nothing while one is being sent, was sent, or may have been', () => {
    const sent = ReplySent({ ...own, mailId, attempt: 1 });
    const uncertain = ReplyUncertain({ ...own, mailId, attempt: 1 });
    given(connected, received, intended()).when(intend).thenNothing();
    given(connected, received, intended(), sent).when(intend).thenNothing();
    given(connected, received, intended(), uncertain).when(intend).thenNothing();
  });
  it('does nothing for a mail that is not known', () => {
    given(connected).when(intend).thenNothing();
  });
  it('starts the next attempt when the previous one was not delivered', () => {
    const delayed = ReplyDelayed({ ...own, mailId, attempt: 1 });
    given(connected, received, intended(), delayed).when(intend).thenAppended(intended(2));
  });
});

describe('NoteReply', () => {
  it('records the outcome of the current attempt', () => {
    given(connected, received, intended())
      .when(note('sent'))
      .thenAppended(ReplySent({ ...own, mailId, attempt: 1 }));
  });
  it('changes nothing that was noted, and nothing of another try', () => {
    const uncertain = ReplyUncertain({ ...own, mailId, attempt: 1 });
    given(connected, received, intended(), uncertain).when(note('sent')).thenNothing();
    given(connected, received, intended()).when(note('sent', 2)).thenNothing();
  });
});

describe('RequestReplyAgain', () => {
  const uncertain = ReplyUncertain({ ...own, mailId, attempt: 1 });
  const requested = ReplyResendRequested({ ...own, mailId, requestedBy: ada });
  it('reopens a reply whose delivery is uncertain', () => {
    given(connected, received, intended(), uncertain).when(again).thenAppended(requested);
    given(connected, received, intended(), uncertain, requested)
      .when(intend)
      .thenAppended(intended(2));
  });
  it('is refused for one that was sent, waits, or is being sent', () => {
    const sent = ReplySent({ ...own, mailId, attempt: 1 });
    given(connected, received).when(again).thenRefused('reply-not-open');
    given(connected, received, intended()).when(again).thenRefused('reply-not-open');
    given(connected, received, intended(), sent).when(again).thenRefused('reply-not-open');
  });
  it('is refused if nothing can be sent', () => {
    given(MailboxConnected({ ...connection, canReply: false }), received, intended(), uncertain)
      .when(again)
      .thenRefused('replies-wait-for-smtp');
  });
});

describe('Fail and Recover', () => {
  const failed = MailboxFailed({ ...own, code: 'timeout', isStopped: false });
  const stopped = MailboxFailed({ ...own, code: 'timeout', isStopped: true });
  it('are noted once each', () => {
    given(connected).when(fail(false)).thenAppended(failed);
    given(connected, failed).when(fail(false)).thenNothing();
    given(connected, failed)
      .when({ type: 'Recover', data: {} })
      .thenAppended(MailboxRecovered(own));
    given(connected).when({ type: 'Recover', data: {} }).thenNothing();
  });
  it('report when retries stop', () => {
    given(connected, failed).when(fail(true)).thenAppended(stopped);
    given(connected, stopped).when(fail(true)).thenNothing();
  });
});

describe('Pause and Resume', () => {
  const byAda = { pausedBy: ada, reason: 'by-person' as const };
  const paused = MailboxPaused({ ...own, ...byAda });
  const resumed = MailboxResumed({ ...own, resumedBy: ada });
  const resume = { type: 'Resume' as const, data: { by: ada } };
  it('pause a mailbox once, and resume it', () => {
    given(connected).when({ type: 'Pause', data: byAda }).thenAppended(paused);
    given(connected, paused).when({ type: 'Pause', data: byAda }).thenNothing();
    given(connected, paused).when(resume).thenAppended(resumed);
  });
  it('resume one that was given up, and refuse one that is active', () => {
    const stopped = MailboxFailed({ ...own, code: 'wrong-password', isStopped: true });
    given(connected, stopped).when(resume).thenAppended(resumed);
    given(connected, paused, resumed).when(resume).thenRefused('mailbox-not-paused');
  });
});

describe('a snapshot', () => {
  it('decides as the events do', () => {
    const state = given(connected, received, intended()).state();
    const saved = JSON.parse(JSON.stringify(mailboxStream.snapshot?.save(state)));
    const loaded = mailboxStream.snapshot?.load(saved) ?? expect.fail('no snapshot');
    expect(loaded).toEqual(state);
    expect(mailboxDecider.decide(intend, loaded)).toEqual([]);
  });
});
