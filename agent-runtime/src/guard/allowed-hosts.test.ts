import { describe, expect, it } from 'vitest';
import { isAllowedAddress, isAllowedName, parseAllowedHosts } from './allowed-hosts.ts';

describe('parseAllowedHosts', () => {
  it('reads names, with or without a port', () => {
    const hosts = parseAllowedHosts(' Wiki.local , db_1:5432,');
    expect(isAllowedName(hosts, 'wiki.local', 80)).toBe(true);
    expect(isAllowedName(hosts, 'sub.wiki.local', 80)).toBe(false);
    expect(isAllowedName(hosts, 'db_1', 5432)).toBe(true);
    expect(isAllowedName(hosts, 'db_1', 80)).toBe(false);
  });

  it.each([
    ['10.1.2.3', '10.1.2.3', 80, true],
    ['10.1.2.3', '10.1.2.4', 80, false],
    ['10.1.2.3:8080', '10.1.2.3', 8080, true],
    ['10.1.2.3:8080', '10.1.2.3', 80, false],
    ['10.1.0.0/16', '10.1.255.255', 80, true],
    ['10.1.0.0/16', '10.2.0.0', 80, false],
    ['10.1.0.0/16:443', '10.1.0.1', 80, false],
    ['10.1.0.0/16', '::ffff:10.1.0.1', 80, true],
    ['fd00::/8', 'fd12::1', 80, true],
    ['fd00::/8', '10.0.0.1', 80, false],
    ['::1', '::1', 80, true],
    ['[::1]:8080', '::1', 8080, true],
    ['[fd00::/8]:443', 'fd12::1', 80, false],
  ])('%s lets %s at port %i through: %s', (entry, address, port, expected) => {
    expect(isAllowedAddress(parseAllowedHosts(entry), address, port)).toBe(expected);
  });

  it.each(['a b', 'http://wiki.local', '10.0.0.0/33', '10.1', '300.1.1.1', 'a:0', 'a:70000', '*'])(
    'names the invalid entry: %s',
    (entry) => {
      expect(() => parseAllowedHosts(`wiki.local,${entry}`)).toThrow(`"${entry}"`);
    },
  );

  it('reads an empty setting as none', () => {
    expect(parseAllowedHosts('')).toEqual([]);
  });
});
