import { type Member, MemberChange } from '@tallyhand/contracts/features/team/team.endpoints';
import { ROLES } from '@tallyhand/contracts/kernel/role';
import { useTranslation } from 'react-i18next';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { useChangeMemberMutation } from './team.api.ts';

export function EditRoleDialog({ member, close }: { member: Member; close: () => void }) {
  const { t } = useTranslation('team');
  const { t: common } = useTranslation('common');
  const { id, username: name, role } = member;
  const message = useFieldMessage();
  const form = useContractForm(MemberChange, { role });
  const [change] = useChangeMemberMutation();
  const submitting = useSubmit(form, {
    send: (input) => (input.role === role ? undefined : change({ id, ...input })),
    done: t('toasts.roleChanged', { name }),
    failed: t('toasts.roleFailed'),
    close,
  });
  const chosen = form.watch('role');
  return (
    <FormDialog
      title={t('members.roleTitle', { name })}
      description={t('members.roleDescription')}
      {...submitting}
      submitLabel={t('members.saveRole')}
      pendingLabel={t('members.savingRole')}
      close={close}
    >
      <Field
        label={t('members.role')}
        help={t(`roles.${chosen}`)}
        error={message(form.formState.errors.role)}
      >
        <Select
          options={ROLES.map((value) => ({ value, label: common(`roles.${value}`) }))}
          {...form.register('role')}
        />
      </Field>
    </FormDialog>
  );
}
