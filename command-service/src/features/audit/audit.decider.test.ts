import { CallRefused } from '@tallyhand/contracts/features/audit/audit.events';
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
