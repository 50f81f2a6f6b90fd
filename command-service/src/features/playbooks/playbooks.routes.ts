import { playbookCalls } from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import type { PlaybookInput } from '@tallyhand/contracts/features/playbooks/playbooks.fields';
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { idFor } from '../../kit/context.ts';
import { type VersionedObjects, versionedRoutes } from '../../kit/versioned-objects.ts';

export function playbooksRoutes(
  app: FastifyInstance,
  kit: Kit,
  playbooks: VersionedObjects<PlaybookInput>,
) {
  versionedRoutes(app, kit, playbookCalls, {
    objects: playbooks,
    create: (body, by) => playbooks.create(idFor(by.context, 'playbook'), body, by),
    change: (id, body, by) => playbooks.change(id, body, by),
    view: ({ id, fields, version, createdAt, updatedAt }) => ({
      ...fields,
      id,
      version,
      createdAt,
      updatedAt,
    }),
  });
}
