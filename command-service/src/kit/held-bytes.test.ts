import { describe, expect, it } from 'vitest';
import { HeldBytes } from './held-bytes.ts';

const limits = { bytesMax: 100, bytesPerOrganizationMax: 60 };

describe('HeldBytes', () => {
  it('refuses one organization beyond its share, and still serves others', () => {
    const held = new HeldBytes(limits);
    const [first, second] = [held.hold('a'), held.hold('a')];
    first.add(40);
    second.add(20);
    expect(second.add(1)).toMatchObject({ code: 'organization-queue-full' });
    expect(held.hold('b').add(40)).toBeNull();
  });

  it('refuses everyone beyond the total limit', () => {
    const held = new HeldBytes(limits);
    held.hold('a').add(60);
    const other = held.hold('b');
    other.add(40);
    expect(other.add(1)).toMatchObject({ code: 'server-queue-full' });
  });

  it('has room again after a disposal, also after a refusal', () => {
    const held = new HeldBytes(limits);
    {
      using upload = held.hold('a');
      upload.add(60);
      expect(upload.add(1)).toMatchObject({ code: 'organization-queue-full' });
    }
    expect(held.hold('a').add(60)).toBeNull();
    expect(held.hold('b').add(40)).toBeNull();
  });
});
