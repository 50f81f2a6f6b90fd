import { ThemeSwitcher } from '../ui/theme-switcher.tsx';
import { LanguageSwitcher } from './language-switcher.tsx';

/** Language and theme, in every header. */
export function Switchers() {
  return (
    <>
      <LanguageSwitcher />
      <ThemeSwitcher />
    </>
  );
}
