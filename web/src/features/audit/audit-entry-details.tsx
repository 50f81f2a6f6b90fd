import type { AuditEntry } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button.tsx';
import { dateFormat, numberFormat } from '../../ui/formats.ts';
import { ShortId } from '../../ui/short-id.tsx';
import type { VersionedKind } from './audit.api.ts';
import { EntryValues, Fact } from './entry-values.tsx';
import { HistoryChanges } from './history-change.tsx';
import type { AuditFilterState } from './use-audit-filter.ts';
import { useAuditWords } from './use-audit-words.ts';

/** What has a history tells its changes as that does. */
const HISTORIES: Readonly<Record<string, VersionedKind>> = {
  agent: 'agents',
  article: 'knowledge',
  playbook: 'playbooks',
  tool: 'tools',
};

/** All that is known of an entry, and ways to what belongs to it. */
export function AuditEntryDetails({
  entry,
  change,
}: {
  entry: AuditEntry;
  change: AuditFilterState['change'];
}) {
  const { t } = useTranslation('audit');
  const { type, object, correlationId, changes } = entry;
  const kind = HISTORIES[object.kind];
  const only = { q: '', actor: '', kind: '', object: '', from: '', to: '' };
  return (
    <div className="flex flex-col gap-4">
      <Facts entry={entry} />
      {changes.length > 0 && (
        <section aria-label={t('log.changes')}>
          {kind ? (
            <HistoryChanges kind={kind} changes={changes} />
          ) : (
            <EntryValues changes={changes} />
          )}
        </section>
      )}
      <div className="flex flex-wrap gap-2">
        <Button size="sm" onClick={() => change({ ...only, q: correlationId }, 'chosen')}>
          {t('log.onlyCall')}
        </Button>
        <Button size="sm" onClick={() => change({ ...only, object: object.id }, 'chosen')}>
          {t('log.onlyObject')}
        </Button>
        <Button size="sm" onClick={() => change({ ...only, kind: type }, 'chosen')}>
          {t('log.onlyType')}
        </Button>
      </div>
    </div>
  );
}

function Facts({ entry }: { entry: AuditEntry }) {
  const { t, i18n } = useTranslation('audit');
  const words = useAuditWords();
  const { sequence, at, actor, address, object, signInId } = entry;
  const time = dateFormat(i18n.language, {
    dateStyle: 'full',
    timeStyle: 'medium',
  }).format(new Date(at));
  const ids = {
    event: entry.id,
    call: entry.correlationId,
    cause: entry.causationId,
    signIn: signInId,
    object: object.id,
    actor: actor.id,
  };
  return (
    <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-2">
      <Fact name={t('log.time')}>
        <time dateTime={at}>{time}</time>
      </Fact>
      <Fact name={t('log.sequence')}>
        <span className="tabular">{numberFormat(i18n.language).format(sequence)}</span>
      </Fact>
      <Fact name={t('log.actor')}>{words.actor(actor)}</Fact>
      <Fact name={t('log.about')}>{words.object(object)}</Fact>
      {address && (
        <Fact name={t('log.address')}>
          <span className="font-mono">{address}</span>
        </Fact>
      )}
      {Object.entries(ids).map(
        ([name, id]) =>
          id && (
            <Fact key={name} name={t(`log.ids.${name}` as 'log.ids.event')}>
              <ShortId id={id} copyLabel={t(`log.copy.${name}` as 'log.copy.event')} />
            </Fact>
          ),
      )}
    </dl>
  );
}
