import type { AnswerExamples } from '../../kernel/answer-examples.ts';
import type * as tools from './tools.endpoints.ts';

export const toolsExamples: AnswerExamples<typeof tools> = {
  Tool: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    name: 'Orders',
    description: 'Looks orders up in the shop',
    type: 'api',
    config: {
      extras: {},
      baseUrl: 'https://shop.example.com/api',
      authType: 'bearer',
    },
    policies: { changes: 'ask', operations: { createOrder: 'never' } },
    credentialNames: ['token'],
    credentialsRequired: null,
    version: 1,
    createdAt: '2027-01-31T09:30:00.000Z',
    updatedAt: '2027-01-31T09:30:00.000Z',
  },
  ToolTestResult: {
    success: true,
    output: '{"order":7,"state":"sent"}',
    error: null,
    status: 200,
    executionTimeMs: 84,
  },
  OAuthClient: {
    client_id: 'https://tallyhand.example.com/api/oauth-client',
    client_name: 'Tallyhand',
    redirect_uris: ['https://tallyhand.example.com/tools/signed-in'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  ToolAuthorization: {
    authorizationUrl:
      'https://auth.example.com/authorize?response_type=code&client_id=tallyhand&state=kV3oF0v2',
    issuer: 'https://auth.example.com',
  },
  McpOffer: {
    success: true,
    error: null,
    server: { name: 'shop', version: '2.1.0' },
    tools: [
      {
        name: 'find_order',
        title: 'Find an order',
        description: 'Finds an order by its number.',
        definition: '{"inputSchema":{"type":"object"},"name":"find_order"}',
        isRead: true,
        state: 'new',
      },
    ],
    executionTimeMs: 142,
  },
};
