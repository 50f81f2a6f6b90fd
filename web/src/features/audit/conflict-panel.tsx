import { entityTag } from '@tallyhand/contracts/kernel/entity-tag';
import { Copy, Trash2, Users } from 'lucide-react';
import { useEffect, useEffectEvent, useId, useState } from 'react';
import { useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import type { Seen } from '../../app/change-seen.ts';
import { copyText } from '../../app/copy-text.ts';
import type { Conflict, Rebased } from '../../app/editor.ts';
import { NotLoaded } from '../../app/loaded.tsx';
import { asProblem } from '../../app/problem.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { useGetPresentQuery, useRestoreMutation, type VersionedObject } from './audit.api.ts';
import { Comparison, useHistoryWords } from './history-change.tsx';
import { historyRows, linesOf } from './history-rows.ts';
import { changesSince, type FieldValue, fieldsOf } from './object-fields.ts';
import { OtherChangePanel, useHistory } from './other-change-panel.tsx';
import { isSame, leavesOf, type MergedField, threeWayMerge, withBoth } from './three-way-merge.ts';

/** The read models may be a moment behind the refusal. */
const POLL_MS = 1_000;

/**
 * What another member changed while the user edited the object. Once it is loaded, the form holds
 * both changes, so that saving overwrites nothing that the user has not seen.
 */
export function ConflictPanel(conflict: Conflict) {
  const { t } = useTranslation('audit');
  const { kind, seen, meeting, rebase, setMeeting } = conflict;
  const [before] = useState(seen);
  const [met, setMet] = useState<{ theirs: Seen; merged: Rebased }>();
  const query = useGetPresentQuery(
    { kind, id: seen.id },
    { refetchOnMountOrArgChange: true, pollingInterval: meeting === 'loading' ? POLL_MS : 0 },
  );
  const { currentData, error, isFetching, refetch } = query;
  const meet = useEffectEvent((theirs: Seen) => {
    if (met || entityTag(theirs) === entityTag(before)) return;
    const merged = rebase(theirs, threeWayMerge);
    setMet({ theirs, merged });
    setMeeting(merged.fields.some(({ isOverlap }) => isOverlap) ? 'overlapping' : 'apart');
  });
  const isGone = asProblem(error).status === 404;
  useEffect(() => {
    if (isFetching) return;
    if (isGone) setMeeting('deleted');
    else if (currentData) meet(currentData as unknown as Seen);
  }, [currentData, isFetching, isGone, setMeeting]);
  if (meeting === 'deleted') return <Deleted {...conflict} />;
  if (met) return <Changed {...conflict} before={before} {...met} />;
  return (
    <NotLoaded
      query={{ error: isFetching ? undefined : error, refetch }}
      label={t('conflict.loading')}
      count={2}
      skeleton="h-9"
    />
  );
}

function Changed({
  before,
  theirs,
  merged,
  ...conflict
}: Conflict & { before: Seen; theirs: Seen; merged: Rebased }) {
  const { t } = useTranslation('audit');
  const { kind, form, meeting, isPrivate } = conflict;
  const entries = useHistory({ kind, id: before.id });
  const words = useWords(conflict);
  const since = entries && changesSince(entries, before, theirs);
  const shown = merged.fields.filter(({ name }) => !isPrivate(name));
  const fields = [
    ...shown.filter(({ isOverlap }) => isOverlap),
    ...shown.filter(({ isOverlap }) => !isOverlap),
  ];
  const credentials = {
    opened: credentialsOf(before),
    theirs: credentialsOf(theirs),
    // A history shows the names of credentials only: an entry without a change has new values.
    hasNewValues:
      kind === 'tools' && shown.length === 0 && since?.some(({ changes }) => changes.length === 0),
  };
  const hasOtherCredentials =
    credentials.hasNewValues || !isSame(credentials.opened, credentials.theirs);
  const summary = !form.formState.isDirty ? 'theirs' : meeting;
  return (
    <OtherChangePanel
      {...conflict}
      icon={Users}
      title={t('conflict.title')}
      entries={since}
      version={theirs.version}
      summary={t(`conflict.summary.${summary as 'apart'}`)}
    >
      {merged.isReduced && <Banner tone="warning">{t('conflict.credentialsTakenOut')}</Banner>}
      <ul aria-label={t('conflict.changes')} className="flex flex-col gap-4">
        {fields.map((field) => (
          <li key={field.name}>
            {field.isOverlap ? (
              <Overlap form={form} field={field} words={words} />
            ) : (
              <Theirs field={field} words={words} />
            )}
          </li>
        ))}
        {hasOtherCredentials && (
          <li>
            <FieldHead label={words.label('credentials')} />
            {credentials.hasNewValues ? (
              <p className="text-muted">{t('conflict.newCredentials')}</p>
            ) : (
              <Difference {...credentials} name="credentials" words={words} />
            )}
          </li>
        )}
      </ul>
      {fields.length === 0 && !hasOtherCredentials && (
        <p className="text-muted">{t('conflict.nothing')}</p>
      )}
    </OtherChangePanel>
  );
}

/** The names of a tool's credentials. */
const credentialsOf = (object: Seen) =>
  fieldsOf(object as unknown as VersionedObject).find(([name]) => name === 'credentials')?.[1];

/** The object is gone; what was typed can be copied, or saved once the object is restored. */
function Deleted(conflict: Conflict) {
  const { t } = useTranslation('audit');
  const { kind, seen, form, isPrivate, end } = conflict;
  const entries = useHistory({ kind, id: seen.id });
  const { label, lines } = useWords(conflict);
  const announce = useAnnounce();
  const [restore, { isLoading }] = useRestoreMutation();
  const deletion = entries?.find((entry) => entry.kind === 'deleted');
  const copy = () => {
    const text = leavesOf(form.getValues())
      .filter(([name, value]) => !isPrivate(name) && lines(name, value).length > 0)
      .map(([name, value]) => `${label(name)}\n${lines(name, value).join('\n')}`)
      .join('\n\n');
    return copyText(text, { done: t('conflict.copied'), failed: t('conflict.copyFailed') });
  };
  const takeBack = async () => {
    const { error } = await announce(restore({ kind, id: seen.id }), {
      done: t('conflict.restored'),
      failed: t('conflict.restoreFailed'),
    });
    if (!error) end();
  };
  return (
    <OtherChangePanel
      {...conflict}
      icon={Trash2}
      title={t('conflict.deletedTitle')}
      entries={deletion && [deletion]}
      summary={t('conflict.summary.deleted')}
    >
      <div className="flex flex-wrap gap-2">
        <Button size="sm" icon={Copy} onClick={copy}>
          {t('conflict.copy')}
        </Button>
        <Button size="sm" pending={isLoading} onClick={takeBack}>
          {t('deletions.restore')}
        </Button>
      </div>
    </OtherChangePanel>
  );
}

type Words = ReturnType<typeof useWords>;

function useWords({ kind, words: own }: Pick<Conflict, 'kind' | 'words'>) {
  const { fieldName, valueName } = useHistoryWords(kind);
  const shown = (name: string, text: string) => own.value?.(name, text) ?? valueName(name, text);
  return {
    label: (name: string) => own.field?.[name] ?? fieldName(name),
    lines: (name: string, value: unknown) =>
      linesOf(value as FieldValue, (text) => shown(name, text), fieldName),
  };
}

const headClass = 'flex flex-wrap items-center gap-x-2 gap-y-1 font-medium';

function FieldHead({ label, note }: { label: string; note?: string }) {
  return (
    <h4 className={headClass}>
      {label}
      {note && <Badge>{note}</Badge>}
    </h4>
  );
}

/** A field that the user left alone, or changed in the same way. */
function Theirs({ field, words }: { field: MergedField; words: Words }) {
  const { t } = useTranslation('audit');
  const { name, opened, theirs, mine } = field;
  return (
    <>
      <FieldHead
        label={words.label(name)}
        note={isSame(mine, theirs) ? t('conflict.sameChange') : t('conflict.takenOver')}
      />
      <Difference name={name} opened={opened} theirs={theirs} words={words} />
    </>
  );
}

function Difference({
  name,
  opened,
  theirs,
  words,
}: Pick<MergedField, 'name' | 'opened' | 'theirs'> & { words: Words }) {
  return (
    <div className="mt-1">
      <Comparison rows={historyRows(words.lines(name, opened), words.lines(name, theirs))} />
    </div>
  );
}

type OverlapProps = { form: Conflict['form']; field: MergedField; words: Words };

/** A field that both changed: their value beside the user's, and which of them the form holds. */
function Overlap({ form, field, words }: OverlapProps) {
  const { t } = useTranslation('audit');
  const { name, opened, theirs } = field;
  const group = useId();
  const current: unknown = useWatch({ control: form.control, name });
  const [left, setLeft] = useState(field.mine);
  const both = withBoth(field);
  const isMine = !isSame(current, theirs) && (both === undefined || !isSame(current, both));
  // What was typed stays here when the form shows something else.
  const mine = isMine ? current : left;
  const choose = (value: unknown) => {
    setLeft(mine);
    form.setValue(name, value, { shouldDirty: true, shouldTouch: true });
  };
  const before = words.lines(name, opened);
  const sides = [
    ['conflict.theirChange', theirs],
    ['conflict.myChange', mine],
  ] as const;
  const choices = [
    { label: t('conflict.useMine'), value: mine, checked: isMine },
    { label: t('conflict.useTheirs'), value: theirs, checked: isSame(current, theirs) },
    { label: t('conflict.useBoth'), value: both, checked: !isMine && isSame(current, both) },
  ].filter(({ value }) => value !== undefined);
  return (
    <fieldset className="min-w-0">
      <legend className={headClass}>
        {words.label(name)}
        <Badge tone={'warning' satisfies Tone}>{t('conflict.bothChanged')}</Badge>
      </legend>
      <div className="mt-1 grid gap-3 sm:grid-cols-2">
        {sides.map(([title, value]) => (
          <div key={title} className="min-w-0">
            <p className="mb-1 text-xs text-muted">{t(title)}</p>
            <Comparison rows={historyRows(before, words.lines(name, value))} />
          </div>
        ))}
      </div>
      <div className="mt-2 flex flex-wrap gap-x-4 gap-y-1">
        {choices.map(({ label, value, checked }) => (
          <label key={label} className="flex min-h-6 items-center gap-2">
            <input
              type="radio"
              name={group}
              checked={checked}
              onChange={() => choose(value)}
              className="size-4 accent-accent"
            />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
