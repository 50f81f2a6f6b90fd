import { describe, expect, it } from 'vitest';
import { newWebhookSecret, signedHeaders } from './webhook-signature.ts';

describe('the headers of a delivery', () => {
  it('are signed as the specification of Standard Webhooks shows', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const body = '{"test": 2432232314}';
    const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
    expect(signedHeaders({ id, timestamp: 1_614_265_330, body }, [secret])).toEqual({
      'webhook-id': id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });
  it('are signed with the old secret too, as long as both count', () => {
    const secrets = [newWebhookSecret(), newWebhookSecret()];
    const headers = signedHeaders({ id: 'a', timestamp: 1, body: '{}' }, secrets);
    const [first, second, ...rest] = headers['webhook-signature'].split(' ');
    const alone = signedHeaders({ id: 'a', timestamp: 1, body: '{}' }, secrets.slice(1));
    expect(second).toBe(alone['webhook-signature']);
    expect(first).not.toBe(second);
    expect(rest).toEqual([]);
  });
});
