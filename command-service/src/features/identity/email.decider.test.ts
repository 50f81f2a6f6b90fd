import {
  EmailReleased,
  EmailReserved,
} from '@tallyhand/contracts/features/identity/identity.events';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, it } from 'vitest';
import { rulesOf } from '../../kit/testing/given.ts';
import { emailDecider } from './email.decider.ts';

const emailKey = 'key of the address';
const ada = derivedId('ada');
const ben = derivedId('ben');
const reservation = (userId: string) => ({
  emailKey,
  userId,
  organizationId: derivedId('organization'),
  invitationId: null,
  organizationName: 'Harbour',
  username: 'sealed' as Ciphertext,
  email: 'sealed' as Ciphertext,
  purpose: 'registration' as const,
  changeId: null,
});

const reserve = (userId: string) => ({
  type: 'ReserveEmail' as const,
  data: reservation(userId),
});
const release = (userId: string) => ({ type: 'ReleaseEmail' as const, data: { userId } });

const reserved = (userId: string) => EmailReserved(reservation(userId));
const released = (userId: string) => EmailReleased({ emailKey, userId });

const given = rulesOf(emailDecider);

describe('ReserveEmail', () => {
  it('gives a free address to the one who asks', () => {
    given().when(reserve(ada)).thenAppended(reserved(ada));
  });
  it('is refused to anybody else', () => {
    given(reserved(ada)).when(reserve(ben)).thenRefused('email-taken');
  });
  it('does nothing the second time it arrives', () => {
    given(reserved(ada)).when(reserve(ada)).thenNothing();
  });
  it('gives an address again that was released', () => {
    given(reserved(ada), released(ada)).when(reserve(ben)).thenAppended(reserved(ben));
  });
});

describe('ReleaseEmail', () => {
  it('frees the address of the one who has it', () => {
    given(reserved(ada)).when(release(ada)).thenAppended(released(ada));
  });
  it('leaves the address of another alone', () => {
    given(reserved(ada)).when(release(ben)).thenNothing();
  });
  it('does nothing the second time it arrives', () => {
    given(reserved(ada), released(ada)).when(release(ada)).thenNothing();
  });
});
