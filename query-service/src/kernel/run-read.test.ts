import { describe, expect, it } from 'vitest';
import { inZ } from './run-read.ts';

describe('the instants of an answer', () => {
  it.each(['"createdAt":', '"at" : ', '"lastActive": '])('end in Z after %s', (key) => {
    expect(inZ(`{${key}"2027-01-31T09:30:00.655+00:00"}`)).toBe(
      `{${key}"2027-01-31T09:30:00.655Z"}`,
    );
  });

  it.each([
    ['', '.000'],
    ['.6', '.600'],
    ['.06', '.060'],
    ['.000651', '.000651'],
  ])('have milliseconds as commands write them: %s', (stored, shown) => {
    expect(inZ(`{"createdAt":"2027-01-31T09:30:00${stored}+00:00"}`)).toBe(
      `{"createdAt":"2027-01-31T09:30:00${shown}Z"}`,
    );
  });

  it.each([
    '{"title":"2027-01-31T09:30:00+00:00"}',
    String.raw`{"text":"\"createdAt\":\"2027-01-31T09:30:00+00:00"}`,
    '{"createdAt":"about 09:30+00:00"}',
  ])('are not looked for in texts: %s', (json) => {
    expect(inZ(json)).toBe(json);
  });
});
