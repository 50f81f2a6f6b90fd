import type { Session } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { useTranslation } from 'react-i18next';
import { describeSentence } from '../../app/sentence.ts';

type Failed = Pick<Session, 'errorMessage' | 'errorCode' | 'errorParams'>;

/** Why it could not go on; nothing where it did. */
export function FailureReason({ session }: { session: Failed }) {
  const { t } = useTranslation('sessions');
  const { errorMessage, errorCode: code, errorParams: params } = session;
  return errorMessage && describeSentence(t, { code, params }, errorMessage);
}
