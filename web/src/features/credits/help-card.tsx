import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog, DialogBody, DialogFooter } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';

type Topic = 'sales' | 'support';

/** Whom to ask, and the reference that finds the organization for them. */
export function HelpCard() {
  const { t } = useTranslation('credits');
  const [topic, setTopic] = useState<Topic>();
  return (
    <CardSection title={t('help.title')}>
      <p className="text-muted">{t('help.text')}</p>
      <div className="mt-4 flex flex-wrap gap-2">
        <Button onClick={() => setTopic('sales')}>{t('help.sales')}</Button>
        <Button onClick={() => setTopic('support')}>{t('help.support')}</Button>
      </div>
      {topic && <HelpDialog topic={topic} close={() => setTopic(undefined)} />}
    </CardSection>
  );
}

function HelpDialog({ topic, close }: { topic: Topic; close: () => void }) {
  const { t } = useTranslation('credits');
  const { t: common } = useTranslation('common');
  const { organization } = useCurrentUser();
  const reference = `${organization.name} ${organization.id}`;
  return (
    <Dialog
      open
      onOpenChange={close}
      title={t(`help.${topic}`)}
      description={t(`help.${topic}Text`)}
    >
      <DialogBody>
        <div className="flex items-end gap-2">
          <div className="min-w-0 flex-1">
            <Field label={t('help.reference')} help={t('help.referenceHelp')}>
              <Input readOnly value={reference} onFocus={(event) => event.target.select()} />
            </Field>
          </div>
          <div className="mb-[18px] flex h-9 items-center">
            <CopyButton text={reference} label={t('help.copy')} />
          </div>
        </div>
      </DialogBody>
      <DialogFooter>
        <Button variant="primary" onClick={close}>
          {common('actions.close')}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
