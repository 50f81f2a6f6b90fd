import type { AgentRatings } from '@tallyhand/contracts/features/ratings/ratings.endpoints';
import { RATINGS } from '@tallyhand/contracts/features/ratings/ratings.fields';
import { useTranslation } from 'react-i18next';
import { Loaded } from '../../app/loaded.tsx';
import { CardSection } from '../../ui/card.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { Link } from '../../ui/link.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { RATING_ICONS } from './rating-buttons.tsx';
import { useGetAgentRatingsQuery } from './ratings.api.ts';

const linkClass = 'rounded-sm text-accent underline underline-offset-4';

/** How members rated the answers of each version, and why. */
export function AgentRatingsCard({ agentId }: { agentId: string }) {
  const { t } = useTranslation('ratings');
  const query = useGetAgentRatingsQuery(agentId);
  const { up = 0, down = 0 } = query.data?.total ?? {};
  return (
    <CardSection
      title={t('agent.title')}
      actions={
        down > 0 && (
          <Link to={`/tasks?agentId=${agentId}&rating=down`} className={linkClass}>
            {t('agent.ratedDown')}
          </Link>
        )
      }
    >
      <Loaded query={query} loading={{ label: t('agent.loading'), count: 2, skeleton: 'my-2 h-6' }}>
        {(ratings) =>
          up + down === 0 ? (
            <p className="text-muted">{t('agent.none')}</p>
          ) : (
            <>
              <Versions versions={ratings.versions} />
              <Reasons reasons={ratings.reasons} />
            </>
          )
        }
      </Loaded>
    </CardSection>
  );
}

function Versions({ versions }: Pick<AgentRatings, 'versions'>) {
  const { t, i18n } = useTranslation('ratings');
  const format = numberFormat(i18n.language).format;
  return (
    <table className="w-full max-w-md">
      <thead>
        <tr className="text-xs text-muted">
          <th scope="col" className="py-1 text-left font-normal">
            {t('agent.version')}
          </th>
          {RATINGS.map((rating) => {
            const Icon = RATING_ICONS[rating];
            return (
              <th key={rating} scope="col" className="w-24 py-1 text-right font-normal">
                <span className="inline-flex items-center gap-1">
                  <Icon aria-hidden className="size-3.5" />
                  {t(`agent.${rating}`)}
                </span>
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>
        {versions.map(({ version, ...counts }, at) => (
          <tr key={version} className="border-t border-line">
            <th scope="row" className="py-2 text-left font-normal">
              <span className="tabular">{format(version)}</span>
              {at === 0 && <span className="text-muted"> {t('agent.current')}</span>}
            </th>
            {RATINGS.map((rating) => (
              <td key={rating} className="tabular py-2 text-right">
                {format(counts[rating])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Reasons({ reasons }: Pick<AgentRatings, 'reasons'>) {
  const { t } = useTranslation('ratings');
  if (reasons.length === 0) return null;
  return (
    <>
      <h3 className="mt-4 text-xs text-muted">{t('agent.reasons')}</h3>
      <ul>
        {reasons.map(({ rating, reason, version, taskId, updatedAt }) => {
          const Icon = RATING_ICONS[rating];
          return (
            <li
              key={`${taskId} ${updatedAt}`}
              className="flex gap-2 border-t border-line py-2 first:border-0"
            >
              <Icon aria-label={t(rating)} className="mt-0.5 size-4 shrink-0 text-muted" />
              <div className="min-w-0">
                <p className="break-words">{reason}</p>
                <p className="text-xs text-muted">
                  {t('agent.ofVersion', { version })} · <RelativeTime at={updatedAt} />
                  {taskId && (
                    <>
                      {' · '}
                      <Link to={`/tasks?task=${taskId}`} className={linkClass}>
                        {t('agent.viewTask')}
                      </Link>
                    </>
                  )}
                </p>
              </div>
            </li>
          );
        })}
      </ul>
    </>
  );
}
