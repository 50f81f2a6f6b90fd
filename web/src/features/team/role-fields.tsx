import { AUDITOR_DAYS, AUDITOR_DAYS_MAX } from '@tallyhand/contracts/kernel/auditor-access';
import { ROLES, type Role } from '@tallyhand/contracts/kernel/role';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { Field, Input, Select } from '../../ui/field.tsx';
import { inDays } from './last-day.ts';

type RoleFieldsProps = {
  /** The chosen role. */
  role: Role;
  roleProps: ComponentProps<typeof Select> | object;
  lastDayProps: ComponentProps<typeof Input>;
  errors: { role: string | undefined; lastDay: string | undefined };
};

/** What is sent for the two fields: only an Auditor has a last day. */
export const roleSent = ({ role, lastDay }: { role: Role; lastDay?: string | undefined }) =>
  role === 'Auditor' && lastDay ? { role, lastDay } : { role };

/** A cleared date is none: the server chooses the usual one. */
export const orUndefined = (day: string | undefined) => day || undefined;

export const usualLastDay = () => inDays(AUDITOR_DAYS);

/** The role of a member, and the last day of an Auditor. */
export function RoleFields({ role, roleProps, lastDayProps, errors }: RoleFieldsProps) {
  const { t } = useTranslation('team');
  const { t: common } = useTranslation('common');
  return (
    <>
      <Field label={t('members.role')} help={t(`roles.${role}`)} error={errors.role}>
        <Select
          options={ROLES.map((value) => ({ value, label: common(`roles.${value}`) }))}
          {...roleProps}
        />
      </Field>
      {role === 'Auditor' && (
        <Field
          label={t('lastDay.label')}
          help={t('lastDay.help', { count: AUDITOR_DAYS_MAX })}
          error={errors.lastDay}
          required
        >
          <Input type="date" min={inDays(0)} max={inDays(AUDITOR_DAYS_MAX)} {...lastDayProps} />
        </Field>
      )}
    </>
  );
}
