import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { LoadFailed } from '../../app/loaded.tsx';
import { describeProblem } from '../../app/problem.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '../../ui/dialog.tsx';
import { Loading, Skeletons } from '../../ui/loading.tsx';
import { FirstQuestion } from './first-question.tsx';
import { useAddSampleMutation, useFindSampleQuery, useRemoveSampleMutation } from './sample.api.ts';
import { contentsOf, PIECES, type Piece } from './sample.ts';
import { EXPERTISE } from './templates.ts';

const STEPS = [0, 1, 2] as const;

/** The texts of the sample data: its agent is that of the template for support. */
function useContents() {
  const { t } = useTranslation('sample');
  const { t: of } = useTranslation('templates');
  return contentsOf({
    agent: {
      name: of('of.support.name'),
      description: of('of.support.description'),
      role: of('of.support.role'),
      personality: of('of.support.personality'),
      expertise: EXPERTISE.map((area) => of(`of.support.expertise.${area}`)),
    },
    returns: {
      title: of('of.support.article.title'),
      content: of('of.support.article.content'),
    },
    shipping: { title: t('shipping.title'), content: t('shipping.content') },
    playbook: {
      title: t('playbook.title'),
      description: t('playbook.description'),
      steps: STEPS.map((step) => t(`playbook.steps.${step}`)),
    },
    tool: { name: t('tool.name'), description: t('tool.description') },
  });
}

type SampleDialogProps = { close: () => void };

/** Adds the sample data at once, then offers its first question. Nothing is charged before that. */
export function AddSample({ close }: SampleDialogProps) {
  const { t } = useTranslation('sample');
  const { t: of } = useTranslation('templates');
  const { t: common } = useTranslation('common');
  const contents = useContents();
  const [add, { data: agentId, error, isLoading }] = useAddSampleMutation();
  const begin = useRef(() => void add(contents));
  const isBegun = useRef(false);
  useEffect(() => {
    if (isBegun.current) return;
    isBegun.current = true;
    begin.current();
  }, []);
  if (agentId) {
    const agent = { id: agentId, name: contents.agent.name };
    const question = of('of.support.question');
    const { title } = contents.returns;
    return <FirstQuestion agent={agent} title={title} question={question} close={close} />;
  }
  return (
    <Dialog title={t('add.title')} description={t('add.description')} close={close}>
      <DialogBody>
        {error ? (
          <Banner tone="danger" title={t('add.failed')}>
            {describeProblem(common, error)}
          </Banner>
        ) : (
          <Loading label={t('add.pending')} className="flex flex-col gap-3">
            <Skeletons count={PIECES.length} className="h-6" />
          </Loading>
        )}
      </DialogBody>
      {error && (
        <DialogFooter>
          <DialogCancel />
          <Button variant="primary" pending={isLoading} onClick={() => void add(contents)}>
            {common('actions.retry')}
          </Button>
        </DialogFooter>
      )}
    </Dialog>
  );
}

/** Removes the sample data after showing what goes and what stays. */
export function RemoveSample({ close }: SampleDialogProps) {
  const { t } = useTranslation('sample');
  const { t: common } = useTranslation('common');
  const announce = useAnnounce();
  // Other members may have changed it since.
  const found = useFindSampleQuery(undefined, { refetchOnMountOrArgChange: true });
  const [remove, { error, isLoading }] = useRemoveSampleMutation();
  const pieces = found.isFetching && !isLoading ? undefined : found.data;
  const going = pieces?.filter(({ isChanged }) => !isChanged) ?? [];
  const staying = pieces?.filter(({ isChanged }) => isChanged) ?? [];
  const confirm = async () => {
    const words = { done: t('remove.done'), failed: t('remove.failed') };
    const outcome = await announce(remove(pieces ?? []), words);
    if (!outcome.error) close();
  };
  return (
    <Dialog title={t('remove.title')} description={t('remove.description')} close={close}>
      <DialogBody>
        {error && (
          <Banner tone="danger" title={t('remove.failed')}>
            {describeProblem(common, error)}
          </Banner>
        )}
        {!pieces && !found.error && (
          <Loading label={common('loading')} className="flex flex-col gap-3">
            <Skeletons count={PIECES.length} className="h-6" />
          </Loading>
        )}
        {!pieces && found.error && (
          <LoadFailed error={found.error} onRetry={() => void found.refetch()} />
        )}
        {pieces && going.length === 0 && <p>{t('remove.nothing')}</p>}
        {going.length > 0 && <PieceList title={t('remove.going')} pieces={going} />}
        {staying.length > 0 && <PieceList title={t('remove.staying')} pieces={staying} />}
      </DialogBody>
      <DialogFooter>
        <DialogCancel />
        <Button
          variant="destructive"
          disabled={going.length === 0}
          pending={isLoading}
          pendingLabel={t('remove.pending')}
          onClick={() => void confirm()}
        >
          {t('remove.submit')}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}

function PieceList({ title, pieces }: { title: string; pieces: readonly Piece[] }) {
  const { t } = useTranslation('sample');
  return (
    <section>
      <h3 className="font-medium">{title}</h3>
      <ul aria-label={title} className="mt-1 flex flex-col">
        {pieces.map(({ id, piece, name }) => (
          <li
            key={id}
            className="flex justify-between gap-3 border-t border-line py-2 first:border-0"
          >
            <span className="min-w-0 break-words">{name}</span>
            <span className="shrink-0 text-muted">{t(`kinds.${piece}`)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
