import {
  CallRefused,
  CheckpointPublished,
  CheckpointPublishingChanged,
  LogStreamEnded,
  LogStreamFailing,
  LogStreamSet,
} from '@tallyhand/contracts/features/audit/audit.events';
import { describe, it } from 'vitest';
import { RECORDED_AT, rulesOf } from '../../kit/testing/given.ts';
import { auditStream, EVENTS_A_MINUTE_MAX } from './audit.decider.ts';

const refused = (code: string, count = 1) =>
  CallRefused({
    organizationId: '0193a1b2-0000-7000-8000-000000000001',
    call: 'confirmPurchase',
    code,
    params: { what: 'payment' },
    count,
  });
const record = (code: string, at = RECORDED_AT, count = 1) => ({
  type: 'RecordRefusedCalls' as const,
  data: { ...refused(code, count).data, at },
});

const given = rulesOf(auditStream);
const asMany = (n: number) => Array.from({ length: n }, () => refused('not-found'));
const nextMinute = '2026-11-21T08:01:00.000Z';

describe('RecordRefusedCalls', () => {
  it('records how many calls were refused', () => {
    given()
      .when(record('not-found', RECORDED_AT, 7))
      .thenAppended(refused('not-found', 7));
  });
  it('appends up to the limit of a minute, and nothing beyond it', () => {
    given(...asMany(EVENTS_A_MINUTE_MAX - 1))
      .when(record('not-found'))
      .thenAppended(refused('not-found'));
    given(...asMany(EVENTS_A_MINUTE_MAX))
      .when(record('not-found'))
      .thenNothing();
  });
  it('counts each kind separately, and starts again in the next minute', () => {
    given(...asMany(EVENTS_A_MINUTE_MAX))
      .when(record('credits-not-bought'))
      .thenAppended(refused('credits-not-bought'));
    given(...asMany(EVENTS_A_MINUTE_MAX))
      .when(record('not-found', nextMinute))
      .thenAppended(refused('not-found'));
  });
});

const organizationId = '0193a1b2-0000-7000-8000-000000000001';
const chosen = (every: 'hour' | 'day' | null, mailTo: string[] = []) =>
  CheckpointPublishingChanged({ organizationId, every, mailTo });
const choose = (...choice: Parameters<typeof chosen>) => ({
  type: 'ChangePublishing' as const,
  data: chosen(...choice).data,
});
const checkpoint = (hour: number) => ({
  organizationId,
  period: `2026-11-21T0${hour}:00:00.000Z`,
  size: 14,
  checkpoint: { text: 'tallyhand audit log', keyId: 'd90ef2895b768299', signature: 'c2ln' },
});
const publish = (hour: number) => ({
  type: 'PublishCheckpoint' as const,
  data: checkpoint(hour),
});
const published = (hour: number, mailTo: string[] = []) =>
  CheckpointPublished({ ...checkpoint(hour), mailTo });

describe('ChangePublishing', () => {
  it('records a change, and nothing without one', () => {
    given()
      .when(choose('day', [organizationId]))
      .thenAppended(chosen('day', [organizationId]));
    given(chosen('day', [organizationId]))
      .when(choose('day', [organizationId]))
      .thenNothing();
    given(chosen('day', [organizationId]))
      .when(choose('day'))
      .thenAppended(chosen('day'));
    given().when(choose(null)).thenNothing();
  });
});

describe('PublishCheckpoint', () => {
  it('publishes one for each period, to those who are chosen now', () => {
    given(chosen('hour', [organizationId]))
      .when(publish(1))
      .thenAppended(published(1, [organizationId]));
    given(chosen('hour'), published(1)).when(publish(1)).thenNothing();
    given(chosen('hour'), published(2)).when(publish(1)).thenNothing();
    given(chosen('hour'), published(1)).when(publish(2)).thenAppended(published(2));
  });
  it('publishes nothing where no one asked for it, or not any more', () => {
    given().when(publish(1)).thenNothing();
    given(chosen('hour'), chosen(null)).when(publish(1)).thenNothing();
  });
});

const receiver = { organizationId, kind: 'syslog' as const, origin: 'tls://logs.example.com:6514' };
const streamed = LogStreamSet({ ...receiver, from: null });
const ended = LogStreamEnded({ organizationId });
const failing = (minute: number) =>
  LogStreamFailing({
    ...receiver,
    since: `2026-11-21T08:0${minute}:00.000Z`,
    failure: 'It answered 503.',
  });
const recordFailing = (minute: number) => ({
  type: 'RecordFailingLogStream' as const,
  data: failing(minute).data,
});

describe('SetLogStream', () => {
  it('records each time that secrets were entered, also for the same receiver', () => {
    given(streamed).when({ type: 'SetLogStream', data: streamed.data }).thenAppended(streamed);
  });
});

describe('EndLogStream', () => {
  const end = { type: 'EndLogStream' as const, data: { organizationId } };

  it('records the end once', () => {
    given(streamed).when(end).thenAppended(ended);
    given(streamed, ended).when(end).thenNothing();
    given().when(end).thenNothing();
  });
});

describe('RecordFailingLogStream', () => {
  it('records once that each attempt fails since a moment', () => {
    given(streamed).when(recordFailing(1)).thenAppended(failing(1));
    given(streamed, failing(1)).when(recordFailing(1)).thenNothing();
    given(streamed, failing(1)).when(recordFailing(2)).thenAppended(failing(2));
  });

  it('records nothing of a stream that has ended', () => {
    given(streamed, ended).when(recordFailing(1)).thenNothing();
  });
});
