import type { PageView, Planner } from '@tallyhand/agent-runtime/browsing/planner';
import { EngineFailure } from '@tallyhand/agent-runtime/engine';
import type { ModelUsage } from '@tallyhand/contracts/features/models/model-usage';
import { OUTLINE_MAX, SEEN_PAGE_MAX } from '@tallyhand/contracts/features/sessions/browsing';
import type { Assignment } from '@tallyhand/contracts/features/sessions/runner.endpoints';
import type { SessionApi } from '../internal/session-api.ts';
import { cutText, SCREENSHOT_MAX } from './step-report.ts';

/** Plans with the model of the agent, through the command service, which alone has its key. */
export function agentsPlanner(
  { agent, tools, startUrls }: Assignment,
  { chosen, name, seesImages }: NonNullable<Assignment['model']>,
  api: Pick<SessionApi, 'planStep'>,
): Planner {
  let canSee = seesImages;
  return {
    model: name,
    get seesImages() {
      return canSee;
    },
    async next({ page, stepsLeft, onModelCall, signal }) {
      const seen = page && seenPage(page);
      const asked = { agent, model: chosen, tools, startUrls, page: seen, stepsLeft };
      const answer = await api.planStep(asked, signal);
      canSee = answer.seesImages;
      for (const used of answer.usage) onModelCall?.(callOf(used));
      if (answer.failure) throw new EngineFailure(answer.failure);
      if (!answer.step) throw new Error('A plan has neither a step nor a failure');
      return answer.step;
    },
  };
}

/** The one call of a model that a plan takes, as if it had been made here. */
function callOf({ model, connectionId, costMicros, latencyMs, calls: _, ...usage }: ModelUsage) {
  const said = { purpose: 'plan', outcome: 'answered', seconds: latencyMs / 1_000 } as const;
  return { ...said, model, connectionId, costMicros, usage };
}

/** The page in the contract's form: too long texts are cut, never refused. */
function seenPage({ url, title, outline, screenshot, notices }: PageView) {
  const image = screenshot && Buffer.from(screenshot).toString('base64');
  return {
    url: cutText(url, SEEN_PAGE_MAX.url),
    title: cutText(title, SEEN_PAGE_MAX.title),
    outline: cutText(outline, OUTLINE_MAX),
    screenshot: image && image.length <= SCREENSHOT_MAX ? image : null,
    notices: notices
      .slice(0, SEEN_PAGE_MAX.notices)
      .map((notice) => cutText(notice, SEEN_PAGE_MAX.notice)),
  };
}
