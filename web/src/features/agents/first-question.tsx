import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { useTranslation } from 'react-i18next';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog, DialogBody, DialogFooter } from '../../ui/dialog.tsx';

type FirstQuestionProps = {
  agent: Pick<Agent, 'id' | 'name'>;
  /** Of the article that the agent answers from. */
  title: string;
  question: string;
  close: () => void;
};

/** Offers a question to a new agent. It is asked, and paid for, on the page that the link opens. */
export function FirstQuestion({ agent, title, question, close }: FirstQuestionProps) {
  const { t } = useTranslation('templates');
  return (
    <Dialog
      title={t('ready.title', { name: agent.name })}
      description={t('ready.description', { title })}
      close={close}
    >
      <DialogBody>
        <blockquote className="border-l-2 border-accent pl-3 text-base">{question}</blockquote>
      </DialogBody>
      <DialogFooter>
        <Button onClick={close}>{t('ready.later')}</Button>
        <ButtonLink
          variant="primary"
          to={`/agents/${agent.id}/execute`}
          state={{ input: question }}
        >
          {t('ready.ask')}
        </ButtonLink>
      </DialogFooter>
    </Dialog>
  );
}
