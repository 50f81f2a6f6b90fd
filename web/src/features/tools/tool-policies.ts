import {
  ALLOW_ALL,
  defaultPolicies,
  loosens,
  TOOL_POLICIES,
  type ToolPolicies,
  type ToolPolicy,
} from '@tallyhand/contracts/features/tools/tool-policy';
import type { Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';

type ToolType = Tool['type'];

export const isPolicy = (word: string): word is ToolPolicy =>
  TOOL_POLICIES.some((policy) => policy === word);

/** An empty choice: not set, or by default. */
export type PolicyChoice = ToolPolicy | '';

/** The policies of a tool in a form. */
export type PolicyValues = {
  /** Empty for a tool that has no policies yet. */
  changes: PolicyChoice;
  /** Of the operations that have their own, in the order of their names. */
  operations: { name: string; value: ToolPolicy }[];
};

export function policyValuesOf(tool?: Pick<Tool, 'policies'>): PolicyValues {
  const policies = tool ? tool.policies : defaultPolicies('api');
  const operations = Object.entries(policies?.operations ?? {}).map(([name, value]) => {
    return { name, value };
  });
  return {
    changes: policies?.changes ?? '',
    operations: operations.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** The policies that the form holds; null where none are set. */
export function policiesOf({ changes, operations }: PolicyValues): ToolPolicies | null {
  if (changes === '' && operations.length === 0) return null;
  return {
    changes: changes || ALLOW_ALL.changes,
    operations: Object.fromEntries(operations.map(({ name, value }) => [name, value])),
  };
}

export const samePolicies = (a: ToolPolicies | null, b: ToolPolicies | null): boolean =>
  JSON.stringify(policyValuesOf({ policies: a })) ===
  JSON.stringify(policyValuesOf({ policies: b }));

/** The policies in effect; a tool without policies allows all calls. */
export const effective = (policies: ToolPolicies | null): ToolPolicies => policies ?? ALLOW_ALL;

/** With another policy for one operation. */
export function withOperation(
  values: PolicyValues,
  name: string,
  value: PolicyChoice,
): PolicyValues {
  const others = values.operations.filter((one) => one.name !== name);
  const operations = value === '' ? others : [...others, { name, value }];
  return { ...values, operations: operations.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
}

/**
 * The policy for changes after another type was chosen: that of the tool where it has this type, else
 * the default of the type. What was forbidden stays so.
 */
export function changesForType(
  changes: PolicyChoice,
  type: ToolType,
  tool?: Pick<Tool, 'type' | 'policies'>,
): PolicyChoice {
  if (changes === 'never') return changes;
  return tool?.type === type ? policyValuesOf(tool).changes : defaultPolicies(type).changes;
}

/** A browser can't wait for a person. */
const policiesFor = (type: ToolType) =>
  TOOL_POLICIES.filter((policy) => type !== 'browser' || policy !== 'ask');

type Option = { value: PolicyChoice; isLooser: boolean };

/** What can be chosen for calls that may change something; `present` is what the tool has. */
export function changesOptions(type: ToolType, present: ToolPolicies | null): Option[] {
  const before = effective(present);
  return policiesFor(type).map((value) => {
    return { value, isLooser: loosens(before, { ...before, changes: value }) };
  });
}

/** What can be chosen for one operation, first its default. */
export function operationOptions(
  type: ToolType,
  present: ToolPolicies | null,
  name: string,
): Option[] {
  const before = effective(present);
  const { [name]: _own, ...others } = before.operations;
  return (['', ...policiesFor(type)] as const).map((value) => {
    const operations = value === '' ? others : { ...others, [name]: value };
    return { value, isLooser: loosens(before, { ...before, operations }) };
  });
}
