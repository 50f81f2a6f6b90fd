/**
 * What the landing page claims in figures. An operator replaces them before the web is built; what
 * is null is not shown. Which figure stands for which use case is said by its words.
 */
export const claims: {
  /** US dollars. */
  readonly pricePerTask: number | null;
  readonly setupMinutes: number | null;
  readonly deploymentMinutes: number | null;
  readonly replyHours: number | null;
  /** At least so many. */
  readonly organizations: number | null;
  readonly useCases: Readonly<Record<UseCase, number | null>>;
} = {
  pricePerTask: 0.1,
  setupMinutes: 2,
  deploymentMinutes: 2,
  replyHours: 24,
  organizations: 1000,
  useCases: { support: 80, content: 5, analysis: 90, workflow: 60 },
};

export type UseCase = 'support' | 'content' | 'analysis' | 'workflow';
