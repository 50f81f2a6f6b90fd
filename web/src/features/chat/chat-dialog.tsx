import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog, DialogBody } from '../../ui/dialog.tsx';
import { Link } from '../../ui/link.tsx';
import { useGetAgentQuery } from './chat.api.ts';
import { Composer, MessageList } from './message-list.tsx';
import { useTalk } from './use-talk.ts';

/** A conversation that is shown as long as the dialog is open; the agent's page has them all. */
export function ChatDialog({ agent: listed, close }: { agent: Agent; close: () => void }) {
  const { t } = useTranslation('chat');
  const { data: agent = listed } = useGetAgentQuery(listed.id);
  const [conversationId, setConversationId] = useState('');
  const [text, setText] = useState('');
  const talk = useTalk(agent, conversationId, setConversationId);
  return (
    <Dialog
      close={close}
      dirty={text.trim() !== ''}
      size="wide"
      title={t('title', { name: agent.name })}
      description={
        <>
          {t('dialog.kept')}{' '}
          <Link
            to={`/agent/${agent.id}${conversationId === '' ? '' : `?c=${conversationId}`}`}
            className="text-accent underline underline-offset-4"
          >
            {t('dialog.page')}
          </Link>
        </>
      }
    >
      <DialogBody className="min-h-[40dvh] px-2 pb-0">
        <MessageList
          talk={talk}
          name={agent.name}
          fallback={t('dialog.fallback')}
          mayRegenerate={agent.isActive}
          level="h3"
        />
      </DialogBody>
      <Composer
        talk={talk}
        isPaused={!agent.isActive}
        text={text}
        setText={setText}
        className="px-6"
      />
    </Dialog>
  );
}
