import {
  changePlaybook,
  createPlaybook,
  deletePlaybook,
  type Playbook,
  restorePlaybook,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import type { PlaybookInput } from '@tallyhand/contracts/features/playbooks/playbooks.fields';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { idFor } from '../../kit/context.ts';
import type { Kept } from '../../kit/kept-decider.ts';
import { keptObjects } from '../../kit/kept-objects.ts';
import { route } from '../../kit/route.ts';
import { playbookDecider } from './playbook.decider.ts';

const view = (answer: Kept<PlaybookInput> | Refusal): Playbook | Refusal =>
  isRefusal(answer)
    ? answer
    : { ...answer.fields, id: answer.id, version: answer.version, createdAt: answer.createdAt };

export function playbooksRoutes(app: FastifyInstance, { kit }: { readonly kit: Kit }) {
  const playbooks = keptObjects(kit, playbookDecider);

  route(app, kit, createPlaybook, async ({ caller, context, body }) => {
    const { organizationId } = caller;
    const id = idFor(context, 'playbook');
    return view(await playbooks.create(id, body, { organizationId, context }));
  });
  route(app, kit, changePlaybook, async ({ caller, context, params, body }) => {
    const { organizationId } = caller;
    return view(await playbooks.change(params.id, body, { organizationId, context }));
  });
  route(app, kit, deletePlaybook, ({ caller: { organizationId }, context, params }) =>
    playbooks.remove(params.id, { organizationId, context }),
  );
  route(app, kit, restorePlaybook, async ({ caller, context, params, body }) => {
    const { organizationId } = caller;
    return view(await playbooks.restore(params.id, body.version, { organizationId, context }));
  });
}
