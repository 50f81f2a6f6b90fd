import { formatPosition } from '@tallyhand/service-kit/event-store/position';
import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { newestKnown } from './caller.ts';

const at = (commit: bigint) => ({ commit, prepare: commit });
const latest = { current: () => at(5n), advance() {} };
const seen = (commit: bigint) => {
  const cookies = { tallyhand_position: formatPosition(at(commit)) };
  return { headers: {}, cookies } as unknown as FastifyRequest;
};
const nothingSeen = { headers: {}, cookies: {} } as unknown as FastifyRequest;

describe('the newest known place', () => {
  it('is what the caller has seen if another process is ahead', () => {
    expect(newestKnown({ latest }, seen(7n))).toEqual(at(7n));
  });
  it('is what this process wrote if that is newer, or if the caller has seen nothing', () => {
    expect(newestKnown({ latest }, seen(3n))).toEqual(at(5n));
    expect(newestKnown({ latest }, nothingSeen)).toEqual(at(5n));
  });
});
