import { ApiKeyRevoked } from '@tallyhand/contracts/features/api-keys/api-keys.events';
import { ConversationDeleted } from '@tallyhand/contracts/features/chat/chat.events';
import { PersonErased } from '@tallyhand/contracts/features/identity/identity.events';
import { OrganizationClosed } from '@tallyhand/contracts/features/organizations/organizations.events';
import { type Reaction, reaction } from '../../kit/reactions.ts';
import type { Attachments } from './attachments.ts';

/** Deletes files with what they belong to. */
export const forgetAttachments = (attachments: Attachments): Reaction =>
  reaction('forget-attachments', {
    ConversationDeleted: async ({ data, envelope }) => {
      const deleted = ConversationDeleted.read(data, envelope.schemaVersion);
      await attachments.forgetConversation(deleted.organizationId, deleted.conversationId);
    },
    PersonErased: async ({ data, envelope }) => {
      const { organizationId, userId } = PersonErased.read(data, envelope.schemaVersion);
      await attachments.forgetOwner(organizationId, userId);
    },
    ApiKeyRevoked: async ({ data, envelope }) => {
      const { organizationId, keyId } = ApiKeyRevoked.read(data, envelope.schemaVersion);
      await attachments.forgetOwner(organizationId, keyId);
    },
    OrganizationClosed: async ({ data, envelope }) => {
      const { organizationId } = OrganizationClosed.read(data, envelope.schemaVersion);
      await attachments.forgetOrganization(organizationId);
    },
  });
