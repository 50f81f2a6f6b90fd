import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLogFile } from './log-file.ts';

const megabyte = 1024 * 1024;

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'tallyhand-log-'));
});

afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

describe('openLogFile', () => {
  it('continues in the same file after a restart', () => {
    for (const line of ['first\n', 'second\n']) {
      const log = openLogFile(dataDir, 'part');
      log.write(line);
      log.close();
    }
    expect(readFileSync(join(dataDir, 'logs', 'part.log'), 'utf8')).toBe('first\nsecond\n');
  });

  it('keeps the newest lines in three files of about 10 MB at most', () => {
    const log = openLogFile(dataDir, 'part');
    for (let n = 0; n < 42; n += 1) log.write(`${n}`.padEnd(megabyte - 1, '.').concat('\n'));
    log.close();
    const dir = join(dataDir, 'logs');
    expect(readdirSync(dir).toSorted()).toEqual(['part.1.log', 'part.2.log', 'part.log']);
    expect(statSync(join(dir, 'part.2.log')).size).toBe(10 * megabyte);
    expect(statSync(join(dir, 'part.log')).size).toBe(2 * megabyte);
    expect(readFileSync(join(dir, 'part.2.log'), 'utf8')).toMatch(/^20\./);
    expect(readFileSync(join(dir, 'part.log'), 'utf8')).toMatch(/^40\./);
  });

  it('returns the last lines', () => {
    const log = openLogFile(dataDir, 'part');
    for (let n = 0; n < 9; n += 1) log.write(`line ${n}\n`);
    expect(log.tail()).toBe('line 4\nline 5\nline 6\nline 7\nline 8');
    log.close();
  });
});
