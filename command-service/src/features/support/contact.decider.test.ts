import { ContactMessageReceived } from '@tallyhand/contracts/features/support/support.events';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, it } from 'vitest';
import { rulesOf } from '../../kit/testing/given.ts';
import { contactStream } from './contact.decider.ts';

const sealed = 'sealed' as Ciphertext;
const contactId = derivedId('message');
const message = {
  contactId,
  personId: contactId,
  name: sealed,
  email: sealed,
  company: null,
  message: sealed,
};
const receive = { type: 'ReceiveContactMessage' as const, data: message };

const given = rulesOf(contactStream);

describe('ReceiveContactMessage', () => {
  it('keeps the message', () => {
    given().when(receive).thenAppended(ContactMessageReceived(message));
  });
  it('does nothing the second time it arrives', () => {
    given(ContactMessageReceived(message)).when(receive).thenNothing();
  });
});
