import { describe, expect, it } from 'vitest';
import { uuidMessage } from '../testing/uuid-message.ts';
import { sharedPb } from './protocol.ts';
import { uuidFromMessage, uuidText } from './uuid.codec.ts';

const TEXT = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6';
const BYTES = Buffer.from(TEXT.replaceAll('-', ''), 'hex');

describe('ids on the wire', () => {
  it.each(['text', 'structured'] as const)('are read and written as %s', (form) => {
    const message = uuidMessage(BYTES, form);
    expect(message.hasStructured()).toBe(form === 'structured');
    expect(uuidFromMessage(message)).toBe(TEXT);
    expect(uuidText(BYTES)).toBe(TEXT);
  });

  it('may be written in capitals', () => {
    expect(uuidFromMessage(new sharedPb.UUID().setString(TEXT.toUpperCase()))).toBe(TEXT);
  });

  it.each(['', 'nonsense', `${TEXT}0`, TEXT.replaceAll('-', '')])('refuses %j', (text) => {
    expect(() => uuidFromMessage(new sharedPb.UUID().setString(text))).toThrow(/is not a UUID/);
  });
});
