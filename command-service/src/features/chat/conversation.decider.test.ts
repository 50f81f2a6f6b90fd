import {
  ConversationDeleted,
  ConversationRenamed,
  ConversationStarted,
  MessageSent,
  REPLY_MS_MAX,
  ReplyFailed,
  ReplyGiven,
  ReplyRequestedAgain,
  ReplyStopped,
} from '@tallyhand/contracts/features/chat/chat.events';
import { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it } from 'vitest';
import { RECORDED_AT, rulesOf } from '../../kit/testing/given.ts';
import { conversationStream, MESSAGES_MAX } from './conversation.decider.ts';

const own = { conversationId: derivedId('conversation'), organizationId: derivedId('own') };
const startedBy = derivedId('member');
const text = Ciphertext.parse('sealed');
const start = { ...own, agentId: derivedId('agent'), startedBy, title: text };
const message = (n = 1) => ({ messageId: derivedId('message', String(n)), text });
const reply = {
  messageId: derivedId('reply'),
  inReplyTo: message().messageId,
  reply: text,
  model: 'built-in engine',
  agentVersion: 1,
};

const by = startedBy;
const sooner = new Date(Date.parse(RECORDED_AT) + 1_000);
const later = new Date(Date.parse(RECORDED_AT) + REPLY_MS_MAX);
const requestId = derivedId('request');
const send = (n = 1, rest: { by?: string; now?: Date } = {}) => ({
  type: 'Send' as const,
  data: { by, requestId, now: sooner, ...message(n), ...rest },
});
const regenerate = (now = sooner) => ({
  type: 'Regenerate' as const,
  data: { by, requestId, replyId: derivedId('another reply'), now },
});
const written = { by, requestId: message().messageId, ...reply };
const answer = { type: 'Reply' as const, data: written };
const fail = { type: 'Fail' as const, data: { by, requestId: message().messageId, reason: 'no' } };
const rename = (by = startedBy) => ({ type: 'Rename' as const, data: { by, title: text } });
const remove = (by = startedBy) => ({ type: 'Delete' as const, data: { by } });

const started = ConversationStarted(start);
const sent = (n = 1) => MessageSent({ ...own, startedBy, ...message(n) });
const replied = ReplyGiven({ ...own, startedBy, ...reply });
const stopped = ReplyStopped({ ...own, startedBy, ...reply });
const failed = ReplyFailed({
  ...own,
  requestId: message().messageId,
  inReplyTo: message().messageId,
  reason: 'no',
});
const again = ReplyRequestedAgain({ ...own, requestId, inReplyTo: message().messageId });
const deleted = ConversationDeleted(own);
const attached = {
  attachments: [
    { attachmentId: derivedId('file'), kind: 'image' as const, bytes: 9, sha256: 'ab'.repeat(32) },
  ],
  attachmentNames: text,
};
const missing = ['not-found', { what: 'conversation' }] as const;

const given = rulesOf(conversationStream);

describe('a conversation', () => {
  it('is started once', () => {
    given().when({ type: 'Start', data: start }).thenAppended(started);
    given(started).when({ type: 'Start', data: start }).thenNothing();
  });
  it('accepts each message and each reply once', () => {
    given(started).when(send()).thenAppended(sent());
    given(started, sent()).when(send()).thenNothing();
    given(started, sent()).when(answer).thenAppended(replied);
    given(started, sent(), replied).when(answer).thenNothing();
  });
  it('records the files of a message', () => {
    const withFiles = { ...send(), data: { ...send().data, ...attached } };
    const expected = MessageSent({ ...own, startedBy, ...message(), ...attached });
    given(started).when(withFiles).thenAppended(expected);
    given(started, expected).when(withFiles).thenNothing();
  });
  it('accepts no message beyond its maximum', () => {
    const full = Array.from({ length: MESSAGES_MAX }, (_, n) => sent(n));
    given(started, ...full)
      .when(send(MESSAGES_MAX, { now: later }))
      .thenRefused('conversation-full', { messagesMax: MESSAGES_MAX });
  });
  it('is renamed and deleted', () => {
    given(started)
      .when(rename())
      .thenAppended(ConversationRenamed({ ...own, startedBy, title: text }));
    given(started).when(remove()).thenAppended(deleted);
  });
  it('is visible only to the member who started it', () => {
    const stranger = derivedId('another member');
    given(started)
      .when(send(1, { by: stranger }))
      .thenRefused(...missing);
    given(started)
      .when(rename(stranger))
      .thenRefused(...missing);
    given(started)
      .when(remove(stranger))
      .thenRefused(...missing);
    given(started, deleted)
      .when(send())
      .thenRefused(...missing);
    given()
      .when(send())
      .thenRefused(...missing);
  });
});

describe('a reply', () => {
  it('must arrive before the next message, up to a time limit', () => {
    given(started, sent()).when(send(2)).thenRefused('reply-pending');
    given(started, sent()).when(regenerate()).thenRefused('reply-pending');
    given(started, sent(), replied).when(send(2)).thenAppended(sent(2));
    given(started, sent())
      .when(send(2, { now: later }))
      .thenAppended(sent(2));
  });
  it('is stopped once, and keeps its text', () => {
    const stop = { type: 'Stop' as const, data: written };
    given(started, sent()).when(stop).thenAppended(stopped);
    given(started, sent(), stopped).when(stop).thenNothing();
    given(started, sent(), stopped).when(answer).thenNothing();
    given(started, sent(), stopped).when(send(2)).thenAppended(sent(2));
  });
  it('may fail, and the next message is accepted', () => {
    given(started, sent()).when(fail).thenAppended(failed);
    given(started, sent(), failed).when(fail).thenNothing();
    given(started, sent(), failed).when(answer).thenNothing();
    given(started, sent(), failed).when(send(2)).thenAppended(sent(2));
  });
  it('can be requested again, whether or not there was one', () => {
    given(started, sent(), replied).when(regenerate()).thenAppended(again);
    given(started, sent(), failed).when(regenerate()).thenAppended(again);
    given(started, sent(), failed).when(send()).thenAppended(again);
    given(started, sent()).when(regenerate(later)).thenAppended(again);
    given(started, sent(), replied, again).when(regenerate()).thenNothing();
    given(started, sent(), replied, again).when(send(2)).thenRefused('reply-pending');
  });
  it('can be had again for the last message only', () => {
    given(started).when(regenerate()).thenRefused('nothing-to-answer');
    given(started, sent(), failed, sent(2), failed)
      .when(send(1, { now: later }))
      .thenRefused('nothing-to-answer');
  });
  it('replaces the previous one', () => {
    const other = ReplyGiven({
      ...own,
      startedBy,
      ...reply,
      messageId: derivedId('another reply'),
    });
    const said = given(started, sent(), replied, again, other).state()?.said ?? [];
    expect(said.map(({ messageId }) => messageId)).toEqual([
      message().messageId,
      other.data.messageId,
    ]);
    given(started, sent(), replied, again, other).when(regenerate()).thenNothing();
  });
  it('is ignored when another was requested after it', () => {
    given(started, sent(), again).when(answer).thenNothing();
  });
});
