import { sentence } from '../../kernel/sentence.ts';

/** Why the work of an agent failed: a task, a reply, the plan of a step. */

export const WorkCancelled = sentence('cancelled', () => 'The work was cancelled.');

export const ModelUnreachable = sentence(
  'model-unavailable_unreachable',
  () => "The model couldn't be reached.",
);
export const ModelAddressRefused = sentence(
  'model-unavailable_address',
  () => "The model's address is not allowed. Private addresses need the operator's permission.",
);
export const ModelBusy = sentence(
  'model-unavailable_busy',
  () => 'The model is busy or its quota is used up (429).',
);
export const ModelDown = sentence(
  'model-unavailable_down',
  (p: { status: number }) => `The model is unavailable right now (${p.status}).`,
);
export const ModelPaused = sentence(
  'model-unavailable_paused',
  () => 'The model failed several times in a row. It is called again within a minute.',
);
export const ModelTimedOut = sentence('model-timeout', () => "The model didn't answer in time.");

export const ModelKeyRejected = sentence(
  'model-rejected_key',
  (p: { status: number }) => `The model's endpoint rejected the API key (${p.status}).`,
);
export const ModelKeyMissing = sentence(
  'model-rejected_key-missing',
  () => 'The API key of the connection must be entered again.',
);
export const ModelConnectionDeleted = sentence(
  'model-rejected_connection-deleted',
  () => 'The connection of the model was deleted after this was requested.',
);
export const ModelUnknown = sentence(
  'model-rejected_unknown',
  () => "The model or its endpoint wasn't found (404).",
);
export const ModelRequestRejected = sentence(
  'model-rejected_request',
  (p: { status: number }) => `The model's endpoint rejected the request (${p.status}).`,
);
export const ModelRequestTooLong = sentence(
  'model-rejected_too-long',
  () => 'The request and its articles are too long for this model.',
);
export const ModelRefusedAnswer = sentence(
  'model-rejected_answer',
  () => 'The model declined to answer this request.',
);
export const ModelSeesNoImages = sentence(
  'model-rejected_images',
  () => "The model doesn't take images.",
);
export const ModelRefusedPlan = sentence(
  'model-rejected_plan',
  () => 'The model declined to plan this step.',
);

export const ModelAnswerTooLong = sentence(
  'model-output-invalid_too-long',
  () => "The model's answer was too long.",
);
export const ModelAnswerUnreadable = sentence(
  'model-output-invalid_unreadable',
  () => "The model's answer couldn't be read.",
);
export const ModelAnswerEmpty = sentence(
  'model-output-invalid_empty',
  () => 'The model sent an empty answer.',
);
export const ModelAnswerMisformed = sentence(
  'model-output-invalid_form',
  () => "The model's answer had an unexpected format.",
);
export const ModelAnswerCut = sentence(
  'model-output-invalid_cut',
  () => "The model's answer was cut off.",
);
export const ModelAnswerBroken = sentence(
  'model-output-invalid_broken',
  () => 'The model returned invalid JSON.',
);
export const ModelPlannedNothing = sentence(
  'model-output-invalid_plan',
  () => "The model didn't choose a valid step.",
);

export const OutOfTokens = sentence(
  'out-of-tokens',
  () => 'The agent reached the token limit for a task without an answer.',
);
export const OutOfTurns = sentence(
  'out-of-steps',
  () => 'The agent reached the step limit for a task without an answer.',
);

export const ToolNotUsed = sentence(
  'tool-not-used',
  () => "The agent didn't use the tool, so there is no result.",
);
export const ToolNeedsMore = sentence(
  'tool-not-used_needs',
  (p: { tool: string; needs: string }) =>
    `The request is missing what the tool “${p.tool}” needs: ${p.needs}.`,
);
/** `said`: the tool's own words. */
export const ToolFailed = sentence(
  'tool-failed_said',
  (p: { tool: string; said: string }) => `The tool “${p.tool}” failed: ${p.said}`,
);
export const ToolNeverWorked = sentence(
  'tool-failed_never-worked',
  (p: { said: string }) => `The tool failed: ${p.said}`,
);
export const ToolNeverCalled = sentence(
  'tool-failed_never-called',
  () => "The tool wasn't called, so there is no result.",
);

export const TaskTooLate = sentence(
  'deadline-passed',
  () => 'The task took too long and was stopped.',
);
export const ApprovalExpired = sentence(
  'approval-expired',
  () => 'The call was not approved in time.',
);
export const TaskNotRun = sentence(
  'internal-fault',
  () => 'The task failed because of a problem on our side.',
);
export const TaskAgentDeleted = sentence(
  'agent-deleted',
  () => 'The agent was deleted before the task could run.',
);
export const TaskPlaybookDeleted = sentence(
  'playbook-deleted',
  () => 'The playbook was deleted before the task could run.',
);
export const TaskToolGone = sentence(
  'tool-gone',
  () => 'The tool was deleted or is no longer assigned to the agent.',
);

export const ReplyTooLate = sentence('reply-too-late', () => 'The agent took too long to answer.');
