import type { EngineTool, JsonObject } from '@tallyhand/agent-runtime/engine';
import { describe, expect, it } from 'vitest';
import { argumentsIn } from './tool-arguments.ts';
import { chooseTool } from './tool-choice.ts';

const operation = (
  name: string,
  description: string,
  properties: JsonObject,
  required: string[],
) => ({
  name,
  description,
  parameters: { type: 'object', properties, required },
  isRead: !/^(?:add|run|request|cancel)/.test(name),
});
const text = { type: 'string' };

const getOrder = operation('getOrder', 'Tells the state of an order', { orderId: text }, [
  'orderId',
]);
const addOrder = operation(
  'addOrder',
  'Places an order',
  {
    sku: text,
    quantity: { type: 'integer' },
    speed: { type: 'string', enum: ['standard', 'express'] },
    email: { type: 'string', format: 'email' },
  },
  ['sku', 'quantity'],
);
const cancelOrder = operation('cancelOrder', 'Cancels an order', { orderId: text }, ['orderId']);
const weather = operation('forecast', 'Weather forecast of a city', { city: text }, ['city']);
const request = operation(
  'request',
  'Makes any HTTP request below the base URL.',
  { method: text, path: text, query: {}, body: {} },
  ['method', 'path'],
);

const toolOf = (
  title: string,
  description: string,
  ...operations: EngineTool['operations'][number][]
) => ({
  id: title,
  title,
  description,
  operations,
  call: async () => ({ success: true, output: '' }),
});
const tools = [
  toolOf('Shop orders', 'Looks up and places orders of the shop', getOrder, addOrder, cancelOrder),
  toolOf('Meteo', 'Weather of today and tomorrow', weather),
];

describe('the arguments of a call', () => {
  it.each([
    ['What is the state of order 4711?', getOrder, { orderId: '4711' }],
    ['Order number A-17, please', getOrder, { orderId: 'A-17' }],
    ['Where is it? The order id is "x 9"', getOrder, { orderId: 'x 9' }],
    ['{"orderId": "77"}', getOrder, { orderId: '77' }],
    ['Where is 4711', getOrder, { orderId: '4711' }],
    ['How is the weather in New York tomorrow?', weather, { city: 'New York' }],
    ['city: Zürich', weather, { city: 'Zürich' }],
    [
      'Please GET /orders/7?full=1.',
      request,
      { method: 'GET', path: '/orders/7', query: { full: '1' } },
    ],
    ['POST /orders {"sku": "a"}', request, { method: 'POST', path: '/orders', body: { sku: 'a' } }],
    [
      'Order sku B12, quantity 3, by express for ann@shop.example',
      addOrder,
      { sku: 'B12', quantity: 3 },
    ],
  ])('are found in %j', (input, one, args) => {
    expect(argumentsIn(input, one)).toEqual({ args, missing: [] });
  });

  it.each([
    ['Where is my order?', getOrder, ['orderId']],
    ['Orders 7 and 8', getOrder, ['orderId']],
    ['How is the weather?', weather, ['city']],
    ['Order sku B12, quantity many', addOrder, ['quantity']],
    ['Call the shop', request, ['path']],
  ])('are not made up: %j', (input, one, missing) => {
    expect(argumentsIn(input, one).missing).toEqual(missing);
  });
});

describe('the tool for a request', () => {
  it.each([
    ['Use Shop orders for order 4711', 'getOrder'],
    ['Tell me the state of the order 4711', 'getOrder'],
    ['Run forecast for Berlin', 'forecast'],
    ['Weather forecast for Berlin', 'forecast'],
    ['Shop orders: cancels order 4711', 'cancelOrder'],
    ['Do cancelOrder for order 4711, will you?', 'cancelOrder'],
  ])('is named or fits: %j', (input, name) => {
    expect(chooseTool({ input, tools })?.operation.name).toBe(name);
  });

  it.each([
    'Within how many days can I send an order back to you?',
    'What is the state of my order?',
    'How do I cancel an order like 4711?',
    'Cancels an order: 4711',
    'How much does express delivery cost?',
    'Is the weather a reason for a refund of my holiday in Berlin?',
  ])('is none where nothing fits or something is missing: %j', (input) => {
    expect(chooseTool({ input, tools })).toBeNull();
  });

  it('is the best of all where one must be used, even if something is missing', () => {
    const choice = chooseTool({ input: 'Where is my order?', tools, mustUseTool: true });
    expect(choice).toMatchObject({ operation: { name: 'getOrder' }, missing: ['orderId'] });
  });

  it('is one that accepts any request, if one is typed', () => {
    const api = toolOf('Shop', 'Everything of the shop', request);
    const chosen = (input: string) => chooseTool({ input, tools: [api] })?.args;
    expect(chosen('POST /orders {"sku": "a"}')).toMatchObject({ method: 'POST' });
    expect(chosen('Within 24/7 of what?')).toBeUndefined();
    expect(chosen('Everything of the shop at /orders')).toMatchObject({ method: 'GET' });
  });

  it('takes values from earlier messages', () => {
    const context = 'What the person asked for: where is order 4711';
    const choice = chooseTool({ input: 'Look up the state of the order', context, tools });
    expect(choice?.args).toEqual({ orderId: '4711' });
  });
});
