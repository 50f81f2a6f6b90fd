import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Composer } from './composer.tsx';
import { MessageList } from './message-list.tsx';
import { useTalk } from './use-talk.ts';

type TalkProps = {
  agent: Agent;
  /** Empty before the first message. */
  conversationId: string;
  onStarted: (conversationId: string) => void;
};

/** A page's conversation: the messages, and the field for the next one. */
export function TalkView({ agent, conversationId, onStarted }: TalkProps) {
  const { t } = useTranslation('chat');
  const [text, setText] = useState('');
  const talk = useTalk(agent, conversationId, onStarted);
  const { name, personaConfig, isActive } = agent;
  return (
    <>
      <MessageList
        talk={talk}
        name={name}
        greeting={t('greeting', { name, role: personaConfig.role })}
        fallback={t('fallback')}
        mayRegenerate={isActive}
        level="h2"
      />
      <Composer
        talk={talk}
        isPaused={!isActive}
        text={text}
        setText={setText}
        className="sticky bottom-0 bg-surface px-4"
      />
    </>
  );
}
