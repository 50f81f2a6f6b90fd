import { describe, expect, it } from 'vitest';
import { Connections } from './connections.ts';
import { itemOf } from './kinds.ts';

const agent = (model: object | null) => itemOf('agent', { name: 'Support', model });
const fileOf = (model: object | null) => ({
  file: 'support.yaml',
  item: agent(model),
  lineOf: () => 7,
});
const connections = new Connections([
  { id: 'id-a', name: 'Mistral' },
  { id: 'id-b', name: 'Ollama' },
  { id: 'id-c', name: 'Twice' },
  { id: 'id-d', name: 'Twice' },
]);
const chosen = (model: object | null, change: 'named' | 'withIds') =>
  connections[change](agent(model).fields).model;

describe('the connection of an agent', () => {
  it('is written by its name, and sent by its id', () => {
    const byId = {
      connectionId: 'id-a',
      model: 'm',
      fallback: { connectionId: null, model: null },
    };
    const byName = {
      connection: 'Mistral',
      model: 'm',
      fallback: { connection: null, model: null },
    };
    expect(chosen(byId, 'named')).toEqual(byName);
    expect(chosen(byName, 'withIds')).toEqual(byId);
    expect(chosen(null, 'named')).toBeNull();
  });

  it('keeps the id of a deleted connection', () => {
    const deleted = { connectionId: 'id-x', fallback: null };
    expect(chosen(deleted, 'named')).toEqual(deleted);
    expect(chosen(deleted, 'withIds')).toEqual(deleted);
  });

  it('is found by the id of an older file', () => {
    const { files, faults } = connections.check([fileOf({ connectionId: 'id-b', fallback: null })]);
    expect(files[0]?.item.fields.model).toEqual({ connection: 'Ollama', fallback: null });
    expect(faults).toEqual([]);
  });

  it('is a fault of the file when it does not exist, also as a fallback', () => {
    const { faults } = connections.check([
      fileOf({ connection: 'Groq', fallback: { connection: 'xAI' } }),
    ]);
    expect(faults).toEqual([
      { file: 'support.yaml', line: 7, message: 'model: the connection "Groq" does not exist' },
      { file: 'support.yaml', line: 7, message: 'model: the connection "xAI" does not exist' },
    ]);
  });

  it('is refused when connections share its name', () => {
    const message = '2 connections have the name "Twice". Rename or delete all but one:';
    const shared = { connection: 'Twice', fallback: null };
    expect(() => connections.check([fileOf(shared)])).toThrow(message);
    expect(() => connections.refuseSharedNames([agent(shared)])).toThrow(message);
    expect(() => connections.refuseSharedNames([agent({ connection: 'Ollama' })])).not.toThrow();
  });
});
