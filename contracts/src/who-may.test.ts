import { describe, expect, it } from 'vitest';
import { endpoints } from './endpoints.ts';
import { ROLES } from './features/identity/role.ts';
import { rolesFor } from './who-may.ts';

describe('the roles', () => {
  it('stand in their order: each may do all that those behind it may', () => {
    const limited = endpoints.flatMap(({ name }) => {
      const roles = rolesFor(name);
      return roles ? [[name, roles] as const] : [];
    });
    expect(limited.length).toBeGreaterThan(50);
    // What an API key may do is the lesser of two roles by this order.
    for (const [name, roles] of limited) {
      expect([name, roles]).toEqual([name, ROLES.slice(0, roles.length)]);
    }
  });
});
