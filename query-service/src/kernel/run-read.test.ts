import { describe, expect, it } from 'vitest';
import { inZ } from './run-read.ts';

describe('the instants of an answer', () => {
  it.each(['"createdAt":', '"at" : ', '"lastActive": '])('end in Z after %s', (key) => {
    expect(inZ(`{${key}"2027-01-31T09:30:00.65+00:00"}`)).toBe(`{${key}"2027-01-31T09:30:00.65Z"}`);
  });

  it.each([
    '{"title":"2027-01-31T09:30:00+00:00"}',
    String.raw`{"text":"\"createdAt\":\"2027-01-31T09:30:00+00:00"}`,
    '{"createdAt":"about 09:30+00:00"}',
  ])('are not looked for in texts: %s', (json) => {
    expect(inZ(json)).toBe(json);
  });
});
