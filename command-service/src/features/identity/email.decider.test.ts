import {
  EmailReleased,
  EmailReserved,
} from '@tallyhand/contracts/features/identity/identity.events';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, it } from 'vitest';
import { rulesOf } from '../../kit/testing/given.ts';
import { emailStream } from './email.decider.ts';

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

const given = rulesOf(emailStream);

describe('ReserveEmail', () => {
  it('reserves a free address for the caller', () => {
    given().when(reserve(ada)).thenAppended(reserved(ada));
  });
  it('is refused to anyone else', () => {
    given(reserved(ada)).when(reserve(ben)).thenRefused('email-taken');
  });
  it('does nothing the second time it arrives', () => {
    given(reserved(ada)).when(reserve(ada)).thenNothing();
  });
  it('reserves a released address again', () => {
    given(reserved(ada), released(ada)).when(reserve(ben)).thenAppended(reserved(ben));
  });
});

describe('ReleaseEmail', () => {
  it('frees the address for its owner', () => {
    given(reserved(ada)).when(release(ada)).thenAppended(released(ada));
  });
  it('leaves the address of another alone', () => {
    given(reserved(ada)).when(release(ben)).thenNothing();
  });
  it('does nothing the second time it arrives', () => {
    given(reserved(ada), released(ada)).when(release(ada)).thenNothing();
  });
});
