import { Bookmark, Trash2 } from 'lucide-react';
import { type FormEvent, useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router-dom';
import { useCurrentUser } from '../features/identity/identity.api.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import { DropdownMenu, MenuChoice, MenuItem, MenuSeparator } from '../ui/dropdown-menu.tsx';
import { Field, Input } from '../ui/field.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Switch } from '../ui/toggles.tsx';
import {
  keepViews,
  nameFault,
  VIEWS_MAX,
  type View,
  viewSearch,
  viewsOf,
  withView,
} from './saved-views.ts';
import { useAddress } from './use-address.ts';

type SavedViewsProps = {
  /** Names the list among those with views. */
  list: string;
  /** The parameters of its filters and its sort. */
  names: readonly string[];
};

/** The saved views of a list: the filters and the sort of its address, by a name. */
export function SavedViews({ list, names }: SavedViewsProps) {
  const { t } = useTranslation('lists');
  const { id, organization } = useCurrentUser();
  const owner = `${id}/${organization.id}`;
  const [views, setViews] = useState(() => viewsOf(owner, list));
  const [opened, setOpened] = useState<'save' | 'manage'>();
  const { search, edit } = useAddress();
  const address = useLocation().search;
  const shown = viewSearch(search, names);
  const chosen = views.find((view) => view.search === shown);
  const change = (next: readonly View[]) => {
    keepViews(owner, list, next);
    setViews(next);
    setOpened(undefined);
  };
  const show = (view: View, options: { replace: boolean }) =>
    edit((params) => {
      for (const name of names) params.delete(name);
      for (const [name, value] of new URLSearchParams(view.search)) params.set(name, value);
    }, options);
  const showDefault = useEffectEvent(() => {
    const first = views.find(({ isDefault }) => isDefault);
    if (first && address === '') show(first, { replace: true });
  });
  useEffect(() => showDefault(), []);
  const close = () => setOpened(undefined);
  return (
    <>
      <DropdownMenu trigger={<Button icon={Bookmark}>{chosen?.name ?? t('views.title')}</Button>}>
        <MenuChoice
          value={chosen?.name ?? ''}
          options={views.map(({ name }) => ({ value: name, label: name }))}
          onChange={(name) => {
            const view = views.find((each) => each.name === name);
            if (view) show(view, { replace: false });
          }}
        />
        {views.length > 0 && <MenuSeparator />}
        <MenuItem
          disabled={shown === '' || chosen !== undefined || views.length >= VIEWS_MAX}
          onSelect={() => setOpened('save')}
        >
          {t('views.save')}
        </MenuItem>
        {views.length > 0 && (
          <MenuItem onSelect={() => setOpened('manage')}>{t('views.manage')}</MenuItem>
        )}
      </DropdownMenu>
      {opened === 'save' && (
        <SaveDialog
          others={views.map(({ name }) => name)}
          save={(view) => change(withView(views, { ...view, search: shown }))}
          close={close}
        />
      )}
      {opened === 'manage' && <ManageDialog views={views} save={change} close={close} />}
    </>
  );
}

/** The sentence about a name that a view can't have. */
function useNameFault() {
  const { t } = useTranslation('lists');
  return (name: string, others: readonly string[]) => {
    const fault = nameFault(name, others);
    return fault ? { error: t(`views.faults.${fault}`) } : {};
  };
}

function SaveDialog({
  others,
  save,
  close,
}: {
  others: readonly string[];
  save: (view: Omit<View, 'search'>) => void;
  close: () => void;
}) {
  const { t } = useTranslation('lists');
  const faultOf = useNameFault();
  const [name, setName] = useState('');
  const [isDefault, setDefault] = useState(false);
  const [isSent, setSent] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSent(true);
    if (!nameFault(name, others)) save({ name: name.trim(), isDefault });
  };
  return (
    <FormDialog
      title={t('views.saveTitle')}
      description={t('views.where')}
      submit={submit}
      submitLabel={t('views.submit')}
      pending={false}
      close={close}
    >
      <Field label={t('views.name')} {...(isSent && faultOf(name, others))}>
        <Input value={name} onChange={({ target }) => setName(target.value)} />
      </Field>
      <Switch label={t('views.default')} checked={isDefault} onCheckedChange={setDefault} />
    </FormDialog>
  );
}

type ManageProps = {
  views: readonly View[];
  save: (views: readonly View[]) => void;
  close: () => void;
};

/** Renames and deletes views, and chooses the default. */
function ManageDialog({ views, save, close }: ManageProps) {
  const { t } = useTranslation('lists');
  const faultOf = useNameFault();
  const [kept, setKept] = useState(() => views.map((view) => ({ ...view, was: view.name })));
  const othersOf = (was: string) => kept.filter((view) => view.was !== was).map(({ name }) => name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (kept.some(({ name, was }) => nameFault(name, othersOf(was)))) return;
    save(kept.map(({ was, ...view }) => ({ ...view, name: view.name.trim() })));
  };
  const rename = (was: string, name: string) =>
    setKept(kept.map((view) => (view.was === was ? { ...view, name } : view)));
  const setDefault = (was: string, isDefault: boolean) =>
    setKept(kept.map((view) => ({ ...view, isDefault: isDefault && view.was === was })));
  return (
    <FormDialog
      title={t('views.manageTitle')}
      description={t('views.where')}
      submit={submit}
      submitLabel={t('views.submitAll')}
      pending={false}
      close={close}
    >
      {kept.length === 0 && <p className="text-muted">{t('views.none')}</p>}
      {kept.map(({ was, name, isDefault }) => (
        <fieldset key={was} className="flex flex-col gap-2">
          <legend className="sr-only">{was}</legend>
          <div className="flex items-end gap-2">
            <div className="min-w-0 flex-1">
              <Field label={t('views.name')} {...faultOf(name, othersOf(was))}>
                <Input value={name} onChange={({ target }) => rename(was, target.value)} />
              </Field>
            </div>
            <IconButton
              icon={Trash2}
              label={t('views.delete', { name: was })}
              onClick={() => setKept(kept.filter((view) => view.was !== was))}
            />
          </div>
          <Switch
            label={t('views.default')}
            checked={isDefault}
            onCheckedChange={(isOn) => setDefault(was, isOn)}
          />
        </fieldset>
      ))}
    </FormDialog>
  );
}
