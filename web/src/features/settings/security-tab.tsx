import { EraseCard } from './erase-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { SecondFactorCard } from './second-factor-card.tsx';
import { SignInHistoryCard } from './sign-in-history-card.tsx';
import { SignInsCard } from './sign-ins-card.tsx';

export function SecurityTab() {
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-6">
        <PasswordCard />
        <SecondFactorCard />
        <EraseCard />
      </div>
      <div className="flex min-w-0 flex-col gap-6">
        <SignInsCard />
        <SignInHistoryCard />
      </div>
    </div>
  );
}
