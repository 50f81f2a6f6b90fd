import {
  type ChatBudget,
  ChatBudgetInput,
} from '@tallyhand/contracts/features/chat/chat-budget.endpoints';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { numberOrNull, useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { Loaded } from '../../app/loaded.tsx';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { Progress } from '../../ui/progress.tsx';
import { useGetChatBudgetQuery, useSetChatBudgetMutation } from './chat.api.ts';

/** The tokens that chat may use in a month. */
export function ChatBudgetCard() {
  const { t, i18n } = useTranslation('chat');
  const query = useGetChatBudgetQuery();
  const [isEditing, setEditing] = useState(false);
  const { format } = numberFormat(i18n.language);
  return (
    <CardSection
      title={t('budget.title')}
      actions={
        query.data && (
          <Button size="sm" onClick={() => setEditing(true)}>
            {t('budget.edit')}
          </Button>
        )
      }
    >
      <p className="-mt-2 mb-3 max-w-[68ch] text-muted">{t('budget.description')}</p>
      <Loaded query={query} loading={{ label: t('budget.loading'), count: 1, skeleton: 'h-8' }}>
        {({ monthlyTokens, usedTokens }) =>
          monthlyTokens === null ? (
            <p>{t('budget.none', { used: format(usedTokens) })}</p>
          ) : (
            <Progress
              label={t('budget.used')}
              percent={(100 * usedTokens) / Math.max(1, monthlyTokens)}
              detail={t('budget.of', { used: format(usedTokens), limit: format(monthlyTokens) })}
            />
          )
        }
      </Loaded>
      {isEditing && query.data && (
        <BudgetDialog budget={query.data} close={() => setEditing(false)} />
      )}
    </CardSection>
  );
}

function BudgetDialog({ budget, close }: { budget: ChatBudget; close: () => void }) {
  const { t } = useTranslation('chat');
  const message = useFieldMessage();
  const form = useContractForm(ChatBudgetInput, { monthlyTokens: budget.monthlyTokens });
  const [set] = useSetChatBudgetMutation();
  const submitting = useSubmit(form, {
    send: set,
    done: t('budget.saved'),
    failed: t('budget.failed'),
    close,
  });
  return (
    <FormDialog
      title={t('budget.dialog')}
      description={t('budget.help')}
      {...submitting}
      submitLabel={t('budget.save')}
      pendingLabel={t('budget.saving')}
      close={close}
    >
      <Field
        label={t('budget.monthly')}
        help={t('budget.emptyHelp')}
        error={message(form.formState.errors.monthlyTokens)}
      >
        <Input
          inputMode="numeric"
          autoComplete="off"
          {...form.register('monthlyTokens', { setValueAs: numberOrNull })}
        />
      </Field>
    </FormDialog>
  );
}
