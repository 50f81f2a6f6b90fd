import { describe, expect, it } from 'vitest';
import { genericOperation, type ToolOperation } from './api-operation.ts';
import { ToolCallRefused } from './api-url.ts';
import { readToolInput } from './tool-input.ts';

const operation = (name: string): ToolOperation => ({ ...genericOperation, name });
const any = [genericOperation];

describe('the input of a tool test', () => {
  it.each([
    ['', { method: 'GET', path: '' }],
    ['/orders/7?full=1', { method: 'GET', path: '/orders/7?full=1' }],
    ['delete /orders/7', { method: 'delete', path: '/orders/7' }],
    ['POST /orders {"item": 4}', { method: 'POST', path: '/orders', body: { item: 4 } }],
    ['{"method":"GET","path":"/a"}', { method: 'GET', path: '/a' }],
  ])('is a request: %s', (text, args) => {
    expect(readToolInput(text, any)).toEqual({ operation: genericOperation, args });
  });

  it('names an operation, or has the arguments of the only one', () => {
    const [find, add] = [operation('findOrder'), operation('addOrder')];
    const named = '{"operation":"addOrder","arguments":{"item":4}}';
    expect(readToolInput(named, [find, add])).toEqual({ operation: add, args: { item: 4 } });
    expect(readToolInput('{"item":4}', [find])).toEqual({ operation: find, args: { item: 4 } });
    expect(readToolInput('', [find])).toEqual({ operation: find, args: {} });
  });

  it.each(['{"operation":"burn"}', '{}', '', '[]'])('must name one of several: %s', (text) => {
    const several = [operation('findOrder'), operation('addOrder')];
    expect(() => readToolInput(text, several)).toThrow('There are: findOrder, addOrder.');
  });

  it.each(['find order 7', 'POST /orders {"item"', '{'])('lists the allowed forms: %s', (text) => {
    expect(() => readToolInput(text, any)).toThrow(ToolCallRefused);
  });
});
