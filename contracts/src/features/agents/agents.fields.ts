import { z } from 'zod';
import { changeOf } from '../../kernel/changes.ts';
import { Id } from '../../kernel/ids.ts';
import { isLooser, TOOL_POLICIES } from '../tools/tool-policy.ts';

export const COMMUNICATION_STYLES = ['formal', 'casual', 'friendly', 'professional'] as const;
export const RESPONSE_FORMATS = ['detailed', 'concise', 'structured', 'conversational'] as const;

const text = (min: number, max: number, tooShort: string, name: string) =>
  z
    .string({ error: tooShort })
    .trim()
    .min(min, tooShort)
    .max(max, `${name} must be at most ${max} characters`);

/** Expertise areas: trimmed, without blanks or repeats, at least one. */
const Expertise = z
  .array(
    z
      .string('An expertise area must be a text')
      .trim()
      .max(100, 'An expertise area can have up to 100 characters'),
    {
      error: 'At least one expertise area is required',
    },
  )
  .max(50, 'At most 50 expertise areas')
  .transform((areas) => [...new Set(areas.filter((area) => area !== ''))])
  .refine((areas) => areas.length > 0, 'At least one expertise area is required');

/** A persona as it is stored, shown and given to engines. What members enter is PersonaConfig. */
export const Persona = z.object({
  role: z.string(),
  personality: z.string(),
  expertise: z.array(z.string()),
  communicationStyle: z.enum(COMMUNICATION_STYLES),
  responseFormat: z.enum(RESPONSE_FORMATS),
});
export type Persona = z.infer<typeof Persona>;

/** An agent as its organization wrote it. It shapes tone and form of answers, never their facts. */
export const AgentProfile = z.object({
  name: z.string(),
  description: z.string(),
  persona: Persona,
});
export type AgentProfile = z.infer<typeof AgentProfile>;

/** Without the other fields of an agent. */
export const profileOf = ({ name, description, persona }: AgentProfile): AgentProfile => ({
  name,
  description,
  persona,
});

export const PersonaConfig = z.strictObject(
  {
    role: text(2, 200, 'Role is required', 'Role'),
    personality: text(10, 4000, 'Personality description is required', 'Personality'),
    expertise: Expertise,
    communicationStyle: z
      .enum(COMMUNICATION_STYLES, {
        error: `Communication style must be one of ${COMMUNICATION_STYLES.join(', ')}`,
      })
      .default('professional'),
    responseFormat: z
      .enum(RESPONSE_FORMATS, {
        error: `Response format must be one of ${RESPONSE_FORMATS.join(', ')}`,
      })
      .default('detailed'),
  },
  { error: 'The persona must be an object' },
);
export type PersonaConfig = z.infer<typeof PersonaConfig>;

export const AGENT_NAME_MAX = 200;
export const AgentName = text(2, AGENT_NAME_MAX, 'Name must be at least 2 characters', 'Name');
export const AgentDescription = text(
  10,
  4000,
  'Description must be at least 10 characters',
  'Description',
);

export const REASONING_EFFORTS = ['low', 'medium', 'high'] as const;
export const TEMPERATURE_MAX = 2;
export const OUTPUT_TOKENS_MAX = 128_000;

/** A model of one of the organization's connections. */
const chosenModel = {
  /** Id of the connection; null for the built-in engine, which needs no model. */
  connectionId: Id.nullable(),
  /** Null for the connection's default model. */
  model: z
    .string({ error: 'The name of a model is required' })
    .trim()
    .min(1, 'The name of a model is required')
    .max(200, 'The name of a model must be at most 200 characters')
    .nullable(),
};

/** A choice of a model, as it is stored and shown. */
export const ModelChoice = z.object(chosenModel);
export type ModelChoice = z.infer<typeof ModelChoice>;

/** How an agent answers, as it is stored and shown. */
export const AgentModel = z.object({
  ...chosenModel,
  temperature: z.number().nullable(),
  maxOutputTokens: z.int().nullable(),
  reasoningEffort: z.enum(REASONING_EFFORTS).nullable(),
  /** Answers in its place while the model is busy, fails or does not answer in time. */
  fallback: ModelChoice.nullable(),
});
export type AgentModel = z.infer<typeof AgentModel>;

const TEMPERATURE = `Temperature must be between 0 and ${TEMPERATURE_MAX}`;
const OUTPUT_TOKENS = `Maximum output must be between 1 and ${OUTPUT_TOKENS_MAX} tokens`;
const choice = { ...chosenModel, model: chosenModel.model.default(null) };
export const ModelChoiceInput = z.strictObject(choice, {
  error: (issue) => (issue.code === 'invalid_type' ? 'The model must be an object' : undefined),
});

export const AgentModelInput = z.strictObject(
  {
    ...choice,
    temperature: z
      .number({ error: TEMPERATURE })
      .min(0, TEMPERATURE)
      .max(TEMPERATURE_MAX, TEMPERATURE)
      .nullable()
      .default(null),
    maxOutputTokens: z
      .int({ error: OUTPUT_TOKENS })
      .min(1, OUTPUT_TOKENS)
      .max(OUTPUT_TOKENS_MAX, OUTPUT_TOKENS)
      .nullable()
      .default(null),
    reasoningEffort: z
      .enum(REASONING_EFFORTS, {
        error: `reasoningEffort must be one of ${REASONING_EFFORTS.join(', ')}`,
      })
      .nullable()
      .default(null),
    fallback: z.strictObject(choice).nullable().default(null),
  },
  { error: 'The model must be an object' },
);

/** Before the agent sends a form in a session: it is sent, waits for a person, or is not sent. */
export const FormPolicy = z.enum(TOOL_POLICIES, {
  error: `formPolicy must be one of ${TOOL_POLICIES.join(', ')}`,
});
export type FormPolicy = z.infer<typeof FormPolicy>;
export const DEFAULT_FORM_POLICY: FormPolicy = 'ask';

/** Whether the agent may send more than before. Agents from before form policies send all forms. */
export const loosensForms = (present: FormPolicy | null | undefined, next: FormPolicy) =>
  isLooser(next, present ?? 'allow');

const ASSIGNMENTS_MAX = 1000;
const ids = (what: string) =>
  z
    .array(Id, { error: `${what} must be a list of ids` })
    .max(ASSIGNMENTS_MAX, `At most ${ASSIGNMENTS_MAX} ${what}`)
    .transform((list) => [...new Set(list)]);

/** Ids of what the agent may use. */
export const resourceLists = {
  articles: ids('articles'),
  playbooks: ids('playbooks'),
  tools: ids('tools'),
};
export type ResourceKind = keyof typeof resourceLists;

export const AgentInput = z.strictObject({
  name: AgentName,
  description: AgentDescription,
  personaConfig: PersonaConfig,
  isActive: z.boolean({ error: 'Must be true or false' }).default(true),
  model: AgentModelInput.nullable().default(null),
  /** By default a form waits for a person. Only an Admin can allow forms without approval. */
  formPolicy: FormPolicy.optional(),
  articles: resourceLists.articles.optional(),
  playbooks: resourceLists.playbooks.optional(),
  tools: resourceLists.tools.optional(),
});
export type AgentInput = z.infer<typeof AgentInput>;

/** Fields that are not sent stay unchanged. */
export const AgentChange = changeOf({
  name: AgentName,
  description: AgentDescription,
  personaConfig: PersonaConfig,
  isActive: z.boolean({ error: 'Must be true or false' }),
  model: AgentModelInput.nullable(),
  formPolicy: FormPolicy,
  ...resourceLists,
});
export type AgentChange = z.infer<typeof AgentChange>;
