import { PersonErased } from '@tallyhand/contracts/features/identity/identity.events';
import { organizationEvents } from '@tallyhand/contracts/features/organizations/organizations.events';
import { retentionModel } from '@tallyhand/read-models/features/organizations/retention.tables';
import { projection, type Tx } from '../../kernel/projection.ts';

type Rule = Partial<{
  days: number | null;
  hold_reason: string | null;
  held_since: string | null;
  held_by: string | null;
}>;

const NONE = { days: null, hold_reason: null, held_since: null, held_by: null };
const NO_HOLD = { hold_reason: null, held_since: null, held_by: null };

const set = (tx: Tx, organizationId: string, rule: Rule) =>
  tx
    .insertInto('retention')
    .values({ ...NONE, ...rule, organization_id: organizationId })
    .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(rule))
    .execute();

const remove = (tx: Tx, userId: string) =>
  tx.deleteFrom('former_members').where('user_id', '=', userId).execute();

export const retentionProjection = projection({
  model: retentionModel,
  kinds: { ...organizationEvents, PersonErased },
  on: {
    RetentionRuleChanged: (tx, { organizationId, days }) => set(tx, organizationId, { days }),
    LegalHoldPlaced: (tx, { organizationId, reason }, { at, event }) => {
      const { actor } = event.envelope;
      const by = actor.kind === 'member' ? actor.id : null;
      return set(tx, organizationId, { hold_reason: reason, held_since: at, held_by: by });
    },
    LegalHoldLifted: (tx, { organizationId }) => set(tx, organizationId, NO_HOLD),
    MemberDeactivated: (tx, { organizationId, userId }, { at, event }) => {
      const left = { left_at: at, is_asked: event.envelope.actor.id === userId };
      return tx
        .insertInto('former_members')
        .values({ user_id: userId, organization_id: organizationId, ...left })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet(left))
        .execute();
    },
    MemberReactivated: (tx, { userId }) => remove(tx, userId),
    PersonErased: (tx, { userId }) => remove(tx, userId),
    OrganizationRegistered: 'ignored',
    MemberJoined: 'ignored',
    MemberRoleChanged: 'ignored',
    OrganizationClosed: 'ignored',
    EmbeddingModelChosen: 'ignored',
    ChatTokenBudgetSet: 'ignored',
  },
});
