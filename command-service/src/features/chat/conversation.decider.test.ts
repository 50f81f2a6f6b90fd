import {
  ConversationDeleted,
  ConversationRenamed,
  ConversationStarted,
  MessageSent,
  ReplyGiven,
} from '@tallyhand/contracts/features/chat/chat.events';
import { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, it } from 'vitest';
import { rulesOf } from '../../kit/testing/given.ts';
import { conversationDecider, MESSAGES_MAX } from './conversation.decider.ts';

const own = { conversationId: derivedId('conversation'), organizationId: derivedId('own') };
const startedBy = derivedId('member');
const text = Ciphertext.parse('sealed');
const start = { ...own, agentId: derivedId('agent'), startedBy, title: text };
const message = (n = 1) => ({ messageId: derivedId('message', String(n)), text });
const reply = {
  ...{ messageId: derivedId('reply'), inReplyTo: message().messageId, reply: text },
  ...{ model: 'built-in engine', agentVersion: 1 },
};

const send = (n = 1, by = startedBy) => ({ type: 'Send' as const, data: { by, ...message(n) } });
const answer = { type: 'Reply' as const, data: { by: startedBy, ...reply } };
const rename = (by = startedBy) => ({ type: 'Rename' as const, data: { by, title: text } });
const remove = (by = startedBy) => ({ type: 'Delete' as const, data: { by } });

const started = ConversationStarted(start);
const sent = (n = 1) => MessageSent({ ...own, startedBy, ...message(n) });
const replied = ReplyGiven({ ...own, startedBy, ...reply });
const deleted = ConversationDeleted(own);
const missing = ['not-found', { what: 'conversation' }] as const;

const given = rulesOf(conversationDecider);

describe('a conversation', () => {
  it('is started once', () => {
    given().when({ type: 'Start', data: start }).thenAppended(started);
    given(started).when({ type: 'Start', data: start }).thenNothing();
  });
  it('takes each message and each reply once', () => {
    given(started).when(send()).thenAppended(sent());
    given(started, sent()).when(send()).thenNothing();
    given(started, sent()).when(answer).thenAppended(replied);
    given(started, sent(), replied).when(answer).thenNothing();
  });
  it('takes no more messages than it holds', () => {
    const full = Array.from({ length: MESSAGES_MAX }, (_, n) => sent(n));
    given(started, ...full)
      .when(send(MESSAGES_MAX))
      .thenRefused('conversation-full', { messagesMax: MESSAGES_MAX });
  });
  it('is renamed and deleted', () => {
    given(started)
      .when(rename())
      .thenAppended(ConversationRenamed({ ...own, startedBy, title: text }));
    given(started).when(remove()).thenAppended(deleted);
  });
  it('is there for whoever started it and for nobody else', () => {
    const stranger = derivedId('somebody else');
    given(started)
      .when(send(1, stranger))
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
