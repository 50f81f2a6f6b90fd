const openapi = JSON.stringify(
  {
    openapi: '3.1.0',
    info: { title: 'Orders', version: '1' },
    paths: {
      '/orders/{number}': {
        get: {
          operationId: 'findOrder',
          summary: 'An order, with the state of its delivery',
          parameters: [{ name: 'number', in: 'path', required: true, schema: { type: 'integer' } }],
        },
      },
      '/orders/{number}/label': {
        post: {
          operationId: 'makeReturnLabel',
          summary: 'A label to send an order back with',
          parameters: [{ name: 'number', in: 'path', required: true, schema: { type: 'integer' } }],
        },
      },
    },
  },
  null,
  2,
);

const script = `// Counts working days, so that a promise of "three days" leaves out the weekend.
const days = Number(input.days ?? 3);
const date = new Date(input.from ?? Date.now());
for (let left = days; left > 0; ) {
  date.setUTCDate(date.getUTCDate() + 1);
  if (date.getUTCDay() % 6 !== 0) left -= 1;
}
return date.toISOString().slice(0, 10);`;

/** The demonstration's tools, one of each type. Their addresses lead nowhere. */
export const demoTools = [
  {
    name: 'Supplier catalogue',
    description: 'Looks up in the catalogue of our tent supplier what is in stock',
    type: 'browser',
    config: { extras: { startUrl: 'https://catalogue.example.com/tents' } },
  },
  {
    name: 'Delivery date',
    description: 'Says on which working day a parcel arrives that is sent today',
    type: 'custom',
    config: { extras: { script } },
  },
  {
    name: 'Order lookup',
    description: 'Finds an order by its number, says where it is, and makes labels for returns',
    type: 'api',
    config: {
      baseUrl: 'https://orders.example.com/v1',
      authType: 'bearer',
      extras: { 'Accept-Language': 'en' },
      openapi,
    },
    authCredentials: { token: 'a-token-of-the-demonstration' },
  },
];
