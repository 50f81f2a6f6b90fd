import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCheckPasswordMutation } from './account.api.ts';

const CHECKED_FROM = 8;

/** What stands below a new password; `check` looks whether it was stolen before, and warns. */
export function usePasswordHelp(): { help: ReactNode; check: (password: string) => void } {
  const { t } = useTranslation('identity');
  const [send] = useCheckPasswordMutation();
  const [isCommon, setCommon] = useState(false);
  const check = async (password: string) => {
    if (password.length < CHECKED_FROM) {
      setCommon(false);
      return;
    }
    // Without an answer nothing is warned of: it is no condition.
    const { data } = await send(password);
    setCommon(data?.warning === 'common-password');
  };
  const help = isCommon ? (
    <span role="status" className="flex items-start gap-1 text-warning">
      <TriangleAlert aria-hidden className="mt-0.5 size-3 shrink-0" />
      {t('help.commonPassword')}
    </span>
  ) : (
    t('help.newPassword')
  );
  return { help, check };
}
