import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { mainPages } from '../../app/main-pages.ts';
import { Dialog, DialogBody } from '../../ui/dialog.tsx';
import { Switch } from '../../ui/toggles.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { shortcutsAreOn, switchShortcuts } from './single-keys.ts';

/** All keys that do something on every page, and the switch that turns single ones off. */
export function ShortcutsDialog({ close }: { close: () => void }) {
  const { t } = useTranslation(['search', 'common']);
  const { role } = useCurrentUser();
  const [isOn, setOn] = useState(shortcutsAreOn);
  const pages = mainPages(role).map(({ letter, key }) => ({ letter, name: t(`common:${key}`) }));
  return (
    <Dialog close={close} title={t('shortcuts.title')} description={t('shortcuts.description')}>
      <DialogBody>
        <dl className="flex flex-col gap-2">
          <Row name={t('shortcuts.search')}>
            <Keys keys={['/']} /> <Keys keys={['Ctrl', 'K']} />
          </Row>
          <Row name={t('shortcuts.create')}>
            <Keys keys={['C']} />
          </Row>
          <Row name={t('shortcuts.list')}>
            <Keys keys={['?']} />
          </Row>
        </dl>
        <h3 className="font-semibold">{t('shortcuts.go')}</h3>
        <dl className="grid gap-x-8 gap-y-2 sm:grid-cols-2">
          {[...pages, { letter: ',', name: t('common:shell.settings') }].map(({ letter, name }) => (
            <Row key={letter} name={name}>
              <Keys keys={['G', letter.toUpperCase()]} />
            </Row>
          ))}
        </dl>
        <div className="border-t border-line pt-4">
          <Switch
            label={t('shortcuts.switch')}
            help={t('shortcuts.switchHelp')}
            checked={isOn}
            onCheckedChange={(next) => {
              switchShortcuts(next);
              setOn(next);
            }}
          />
        </div>
      </DialogBody>
    </Dialog>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex items-center justify-between gap-4">
      <dt className="min-w-0">{name}</dt>
      <dd className="flex shrink-0 gap-3">{children}</dd>
    </div>
  );
}

function Keys({ keys }: { keys: readonly string[] }) {
  return (
    <span className="inline-flex gap-1">
      {keys.map((key) => (
        <kbd
          key={key}
          className="inline-flex h-6 min-w-6 items-center justify-center rounded-sm border border-border bg-surface px-1.5 font-sans text-xs"
        >
          {key}
        </kbd>
      ))}
    </span>
  );
}
