import {
  ConversationDeleted,
  type ConversationEvent,
  ConversationStarted,
  MessageSent,
  REPLY_MS_MAX,
  ReplyApprovalDecided,
  ReplyApprovalRequested,
  ReplyFailed,
  ReplyGiven,
  ReplyRequestedAgain,
  ReplyToolCalled,
} from '@tallyhand/contracts/features/chat/chat.events';
import { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it } from 'vitest';
import { RECORDED_AT, rulesOf } from '../../kit/testing/given.ts';
import { conversationStream } from './conversation.decider.ts';

const own = { conversationId: derivedId('conversation'), organizationId: derivedId('own') };
const startedBy = derivedId('member');
const agentId = derivedId('agent');
const sealed = Ciphertext.parse('sealed');
const messageId = derivedId('message');
const request = { ...own, startedBy, requestId: messageId, inReplyTo: messageId };
const now = new Date(Date.parse(RECORDED_AT) + 1_000);
const deadline = new Date(Date.parse(RECORDED_AT) + 10 * REPLY_MS_MAX).toISOString();

const started = ConversationStarted({ ...own, agentId, startedBy, title: sealed });
const sent = MessageSent({ ...own, messageId, startedBy, text: sealed });
const asks = (n = 1) => ({
  approvalId: derivedId('approval', String(n)),
  toolId: derivedId('tool'),
  toolVersion: 1,
  toolName: 'Orders',
  operation: 'refundOrder',
  arguments: sealed,
  turns: sealed,
  deadline,
});
const asked = (n = 1) => ReplyApprovalRequested({ ...request, agentId, ...asks(n) });
const decision = {
  approvalId: asks().approvalId,
  decision: 'approved' as const,
  forRun: false,
  decidedBy: derivedId('manager'),
  deadline,
};
const decided = ReplyApprovalDecided({ ...request, ...decision });
const replied = ReplyGiven({
  ...own,
  startedBy,
  messageId: derivedId('reply'),
  inReplyTo: messageId,
  reply: sealed,
  model: 'built-in engine',
  agentVersion: 1,
});
const failed = ReplyFailed({
  ...own,
  requestId: messageId,
  inReplyTo: messageId,
  reason: 'stopped',
});

const by = startedBy;
const ask = (n = 1, requestId = messageId) => ({
  type: 'RequestApproval' as const,
  data: { by, requestId, ...asks(n) },
});
const decide = (rest: Partial<typeof decision & { now: Date }> = {}) => ({
  type: 'DecideApproval' as const,
  data: { ...decision, now, ...rest },
});
const note = (ordinal = 1) => ({
  type: 'NoteToolCall' as const,
  data: { by, requestId: messageId, ordinal, call: sealed },
});
const called = (ordinal = 1) => ReplyToolCalled({ ...request, ordinal, call: sealed });

const given = rulesOf(conversationStream);

describe('a reply that needs an approval', () => {
  it('asks once for each call, and for one at a time', () => {
    given(started, sent).when(ask()).thenAppended(asked());
    given(started, sent, asked()).when(ask()).thenNothing();
    given(started, sent, asked()).when(ask(2)).thenNothing();
    given(started, sent, asked(), decided).when(ask()).thenNothing();
    given(started, sent, asked(), decided).when(ask(2)).thenAppended(asked(2));
  });
  it('asks only while it is pending', () => {
    given(started, sent, replied).when(ask()).thenNothing();
    given(started, sent)
      .when(ask(1, derivedId('another request')))
      .thenNothing();
  });
  it('waits beyond the time that a reply may take', () => {
    const later = new Date(Date.parse(RECORDED_AT) + 2 * REPLY_MS_MAX);
    given(started, sent, asked())
      .when(decide({ now: later }))
      .thenAppended(decided);
    given(started, sent, asked())
      .when(decide({ now: new Date(Date.parse(deadline)) }))
      .thenRefused('approval-lapsed', {});
  });
  it('records each call of a tool once', () => {
    given(started, sent).when(note()).thenAppended(called());
    given(started, sent, called()).when(note()).thenNothing();
    given(started, sent, called()).when(note(2)).thenAppended(called(2));
    given(started, sent, replied).when(note()).thenNothing();
  });
});

describe('a decision on a call of a reply', () => {
  it('counts once; a repeat is a retry', () => {
    given(started, sent, asked()).when(decide()).thenAppended(decided);
    given(started, sent, asked(), decided).when(decide()).thenNothing();
    given(started, sent, asked(), decided, replied).when(decide()).thenNothing();
  });
  it('cannot be replaced', () => {
    const refused = ['approval-decided', { decision: 'approved' }] as const;
    const after = given(started, sent, asked(), decided);
    after
      .when({ type: 'DecideApproval', data: { ...decision, now, decision: 'refused' } })
      .thenRefused(...refused);
    after.when(decide({ decidedBy: derivedId('another') })).thenRefused(...refused);
    after.when(decide({ forRun: true })).thenRefused(...refused);
  });
  it('needs a call that waits', () => {
    given(started, sent).when(decide()).thenRefused('not-found', { what: 'approval' });
    given(started, sent, asked(), failed).when(decide()).thenRefused('approval-lapsed', {});
    given(started, sent, asked(), ConversationDeleted(own))
      .when(decide())
      .thenRefused('not-found', { what: 'conversation' });
  });
});

describe('the state after a reply', () => {
  it('has no more of what was asked', () => {
    const state = after(started, sent, asked(), decided, called(), replied);
    expect(state?.toolCalls).toEqual([]);
    expect(state?.approvals).toMatchObject([
      { arguments: null, turns: null, decided: { decision: 'approved' } },
    ]);
  });

  it('has the calls of an attempt that failed, for the next attempt at the same message', () => {
    const again = ReplyRequestedAgain({
      ...own,
      requestId: derivedId('another request'),
      inReplyTo: messageId,
    });
    const failedOnce = [started, sent, asked(), decided, called(), failed];
    expect(after(...failedOnce, again)).toMatchObject({ toolCalls: [sealed], approvals: [] });
    const next = MessageSent({
      ...own,
      messageId: derivedId('next'),
      startedBy,
      text: sealed,
    });
    expect(after(...failedOnce, next)).toMatchObject({ toolCalls: [] });
  });
});

const after = (...events: ConversationEvent[]) =>
  events.reduce(
    (all, event) => conversationStream.decider.evolve(all, event, RECORDED_AT),
    conversationStream.decider.initialState(),
  );
