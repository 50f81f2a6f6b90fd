import {
  type Answer,
  type AnswerRequest,
  EngineFailure,
  throwIfCancelled,
} from '@tallyhand/agent-runtime/engine';
import { ToolFailed, ToolNeedsMore } from '@tallyhand/contracts/features/tasks/work-failures';
import { chooseTool } from './tool-choice.ts';

const outputShownMax = 8_000;
const failureShownMax = 500;
const fieldsShownMax = 30;

/** Null when no tool fits the request. A tool that fails ends the work, as nothing was found out. */
export async function answerByTool(
  request: AnswerRequest,
): Promise<Pick<Answer, 'output' | 'reasoning'> | null> {
  const { tools = [], signal } = request;
  if (tools.length === 0) return null;
  const choice = chooseTool({ ...request, tools });
  if (!choice) return null;
  const { tool, operation, args, missing, reason } = choice;
  if (missing.length > 0) {
    const needs = missing.join(', ');
    throw new EngineFailure(ToolNeedsMore({ tool: tool.title, needs }));
  }
  const { success, output } = await tool.call(operation, args, signal);
  throwIfCancelled(signal);
  if (!success) {
    const said = output.slice(0, failureShownMax);
    throw new EngineFailure(ToolFailed({ tool: tool.title, said }));
  }
  return {
    output: `**${tool.title}** returned:\n\n${shown(output)}`,
    reasoning: `Called “${tool.title}” (${operation.name}) with ${JSON.stringify(args)}: ${reason}.`,
  };
}

/** A flat object becomes a list, other JSON and long texts stay as they are. */
function shown(output: string): string {
  const value = parsed(output);
  if (value === undefined) return fenced(output, '');
  if (typeof value !== 'object' || value === null) return fenced(String(value), '');
  const entries = Array.isArray(value) ? [] : Object.entries(value);
  const isFlat = entries.every(([, one]) => typeof one !== 'object' || one === null);
  if (entries.length === 0 || entries.length > fieldsShownMax || !isFlat) {
    return fenced(JSON.stringify(value, null, 2), 'json');
  }
  return entries.map(([name, one]) => `- ${plain(name)}: ${plain(String(one))}`).join('\n');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a tool says has no say in how the answer looks. */
const plain = (text: string) =>
  text
    .slice(0, outputShownMax)
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_[\]<>#|]/g, '\\$&');

function fenced(text: string, language: string): string {
  if (text.trim() === '') return '(nothing)';
  const fence = '`'.repeat(
    Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)),
  );
  return `${fence}${language}\n${text.slice(0, outputShownMax)}\n${fence}`;
}
