import { getAuditCheckpoint } from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import {
  type AuditPublishing,
  CHECKPOINT_RECIPIENTS_MAX,
  CheckpointPeriod,
  changeAuditPublishing,
} from '@tallyhand/contracts/features/audit/audit-publishing.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { Field, Select } from '../../ui/field.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { exactTime } from '../../ui/time.tsx';
import { Checkbox } from '../../ui/toggles.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useListMembersQuery } from '../team/team.api.ts';
import { useChangeAuditPublishingMutation, useGetAuditPublishingQuery } from './audit.api.ts';

const OFF = 'off';

/** How often a checkpoint leaves the server, and who gets it by email. */
export function Publishing() {
  const { t } = useTranslation('audit');
  const { role } = useCurrentUser();
  const { data } = useGetAuditPublishingQuery(undefined, {
    skip: !mayCall(role, changeAuditPublishing),
  });
  if (!data) return null;
  return (
    <section className="flex flex-col gap-3">
      <h3 className="font-semibold">{t('publishing.title')}</h3>
      <p className="-mt-1 max-w-[68ch] text-muted">{t('publishing.description')}</p>
      <Choice publishing={data} />
      <Last publishing={data} />
    </section>
  );
}

function Choice({ publishing: { every, mailTo } }: { publishing: AuditPublishing }) {
  const { t } = useTranslation('audit');
  const announce = useAnnounce();
  const [change, { isLoading }] = useChangeAuditPublishingMutation();
  const save = (wanted: Partial<AuditPublishing>) =>
    announce(change({ every, mailTo, ...wanted }), {
      done: t('publishing.saved'),
      failed: t('publishing.failed'),
    });
  return (
    <>
      <div className="sm:w-60">
        <Field label={t('publishing.every')}>
          <Select
            value={every ?? OFF}
            disabled={isLoading}
            options={[
              { value: OFF, label: t('publishing.periods.off') },
              ...CheckpointPeriod.options.map((value) => ({
                value,
                label: t(`publishing.periods.${value}`),
              })),
            ]}
            onChange={({ target }) =>
              save({ every: target.value === OFF ? null : CheckpointPeriod.parse(target.value) })
            }
          />
        </Field>
      </div>
      {every !== null && <Recipients mailTo={mailTo} save={(ids) => save({ mailTo: ids })} />}
    </>
  );
}

/** Those who may see the log anyway, and those chosen by the API. */
function Recipients({ mailTo, save }: { mailTo: string[]; save: (ids: string[]) => void }) {
  const { t } = useTranslation('audit');
  const { data: members = [] } = useListMembersQuery();
  const shown = members.filter(
    ({ id, role }) => mayCall(role, getAuditCheckpoint) || mailTo.includes(id),
  );
  return (
    <fieldset>
      <legend className="text-sm font-medium">{t('publishing.mailTo')}</legend>
      <p className="mt-1 text-xs text-muted">{t('publishing.mailHelp')}</p>
      <div className="mt-2 flex max-h-48 flex-col gap-2 overflow-y-auto">
        {shown.map(({ id, username, email }) => (
          <Checkbox
            key={id}
            label={username}
            help={email}
            checked={mailTo.includes(id)}
            onCheckedChange={(isOn) => {
              const others = mailTo.filter((one) => one !== id);
              if (!isOn) save(others);
              else if (others.length < CHECKPOINT_RECIPIENTS_MAX) save([...others, id]);
            }}
          />
        ))}
      </div>
    </fieldset>
  );
}

function Last({ publishing: { every, last } }: { publishing: AuditPublishing }) {
  const { t, i18n } = useTranslation('audit');
  if (last) {
    const size = numberFormat(i18n.language).format(last.size);
    const time = exactTime(last.at, i18n.language);
    return <p className="text-xs text-muted">{t('publishing.last', { size, time })}</p>;
  }
  if (every === null) return null;
  return <p className="text-xs text-muted">{t('publishing.soon')}</p>;
}
