import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditKeyFrom } from '@tallyhand/service-kit/audit-bundle/keys';
import {
  type Manifest,
  manifestFile,
  signManifest,
} from '@tallyhand/service-kit/audit-bundle/manifest';
import { type AuditRow, leafOf } from '@tallyhand/service-kit/audit-bundle/row';
import { rowLines } from '@tallyhand/service-kit/audit-bundle/row-lines';
import { localSigner } from '@tallyhand/service-kit/audit-bundle/signer';
import {
  archiveOf,
  type Contents,
  sampleBundle,
  sampleKey,
  sampleSigner,
} from '@tallyhand/service-kit/audit-bundle/testing/sample-bundle';
import { verifyBundle } from '@tallyhand/service-kit/audit-bundle/verify';
import { isAllCases, reportedRuns } from '@tallyhand/test-kit/cases';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';

const LONG_MS = 600_000;
const folder = mkdtempSync(join(tmpdir(), 'audit-bundle-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Larger exports have the same faults in more places. */
const SCALE = isAllCases() ? 3 : 1;
const isThird = (sequence: number) => sequence % 3 === 0 || sequence > 60 * SCALE;
const bundles: Readonly<Record<string, Contents>> = {
  ndjson: await sampleBundle({ size: 66 * SCALE, earlierSize: 30 * SCALE }),
  csv: await sampleBundle({ size: 66 * SCALE, format: 'csv' }),
  'ndjson with rows left out': await sampleBundle({
    size: 100 * SCALE,
    isExported: isThird,
    earlierSize: 85 * SCALE,
  }),
  'csv with rows left out': await sampleBundle({
    size: 100 * SCALE,
    isExported: isThird,
    format: 'csv',
  }),
};
/** By name, so that a failed case is reported briefly. */
const bundleNames = fc.constantFrom(...Object.keys(bundles));
const bundleOf = (name: string) => bundles[name] ?? expect.fail(`No bundle is ${name}`);

async function faultsIn(contents: Contents): Promise<readonly string[]> {
  const file = join(folder, 'export.zip');
  writeFileSync(file, archiveOf(contents));
  const { isWell, lines } = await verifyBundle(file, sampleKey);
  return isWell ? [] : lines;
}

/** The position of a change; each change takes it modulo the length. */
const places = fc.tuple(fc.nat(), fc.nat(), fc.nat());
type Places = readonly [number, number, number];

const manifestOf = (contents: Contents): Manifest => JSON.parse(String(contents['manifest.json']));
const rowsFileOf = (contents: Contents) => rowLines[manifestOf(contents).format];
const linesOf = (bytes: Buffer | undefined) => String(bytes).split(/(?<=\n)/);

/**
 * With the current sizes and hashes of its files, as an attacker without the key could write it.
 */
function describedAnew(contents: Contents): Contents {
  const manifest = manifestOf(contents);
  const files = manifest.files.map(({ name }) => {
    const bytes = contents[name] ?? Buffer.of();
    return { name, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
  return { ...contents, 'manifest.json': Buffer.from(manifestFile({ ...manifest, files })) };
}

describe('an altered byte of any file', () => {
  const changes: Record<string, (bytes: Buffer, at: number, value: number) => Buffer> = {
    flipped: (bytes, at, value) => bytes.with(at, (bytes[at] ?? 0) ^ (1 << (value % 8))) as Buffer,
    inserted: (bytes, at, value) =>
      Buffer.concat([bytes.subarray(0, at), Buffer.of(value % 256), bytes.subarray(at)]),
    removed: (bytes, at) => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]),
    'cut off': (bytes, at) => bytes.subarray(0, at),
  };

  it(
    'is found wherever it is',
    async () => {
      const kinds = fc.constantFrom(...Object.keys(changes));
      await fc.assert(
        fc.asyncProperty(bundleNames, kinds, places, async (bundleName, kind, place) => {
          const bundle = bundleOf(bundleName);
          const names = Object.keys(bundle);
          const name = names[place[0] % names.length] ?? '';
          const bytes = bundle[name] ?? Buffer.of();
          const changed = changes[kind]?.(bytes, place[1] % bytes.length, place[2]);
          if (!changed) expect.fail(`No change is ${kind}`);
          const faults = await faultsIn({ ...bundle, [name]: Buffer.from(changed) });
          expect(faults.join('\n')).toContain(name);
        }),
        reportedRuns(200, 4_000),
      );
    },
    LONG_MS,
  );
});

describe('an altered row', () => {
  type Change = {
    /**
     * The following lines, and the expected report. Lines are counted from 0 without the heading.
     */
    readonly lines: readonly string[];
    readonly expected: RegExp;
  };
  const changes: Record<string, (contents: Contents, lines: string[], at: Places) => Change> = {
    removed: (contents, lines, [place]) => {
      const at = place % lines.length;
      return {
        lines: lines.toSpliced(at, 1),
        expected: new RegExp(`^Row ${rowAt(contents, at)} is missing`, 'm'),
      };
    },
    swapped: (contents, lines, [place, distance]) => {
      const from = place % lines.length;
      const to = (from + 1 + (distance % (lines.length - 1))) % lines.length;
      const [a = '', b = ''] = [lines[from], lines[to]];
      // Where both were neighbours, one of them has moved.
      const either = `${rowAt(contents, from)}|${rowAt(contents, to)}`;
      const expected = new RegExp(`^Row (${either}) \\(line \\d+ of .* is out of its order`, 'm');
      return { lines: lines.with(from, b).with(to, a), expected };
    },
    doubled: (contents, lines, [place, target]) => {
      const from = place % lines.length;
      const to = target % (lines.length + 1);
      const expected = new RegExp(
        `^Row ${rowAt(contents, from)} \\(line \\d+ of .* was added`,
        'm',
      );
      return { lines: lines.toSpliced(to, 0, lines[from] ?? ''), expected };
    },
    changed: (contents, lines, [place, field, value]) => {
      const at = place % lines.length;
      const { parse, lineOf, heading, file } = rowsFileOf(contents);
      const row = parse(lines[at] ?? '') as AuditRow;
      const other = lineOf(changedRow(row, field, value));
      const line = at + 1 + (heading === '' ? 0 : 1);
      return {
        lines: lines.with(at, other),
        expected: new RegExp(
          `^Row ${row.sequence} (is missing|\\(line ${line} of ${file}\\))`,
          'm',
        ),
      };
    },
  };

  const rowAt = (contents: Contents, at: number) => {
    const { parse, heading, file } = rowsFileOf(contents);
    const line = linesOf(contents[file])[at + (heading === '' ? 0 : 1)] ?? '';
    return (parse(line) as AuditRow).sequence;
  };

  /** The row with one changed field of the row or of its data. */
  function changedRow(row: AuditRow, field: number, value: number): AuditRow {
    const fields: Partial<AuditRow>[] = [
      { sequence: row.sequence + 1 + (value % 99) },
      { eventId: row.commandId },
      { type: `${row.type}${value}` },
      { schemaVersion: row.schemaVersion + 1 },
      { stream: `x${row.stream}` },
      { at: new Date(Date.parse(row.at) + 1 + value).toISOString() },
      { actor: { ...row.actor, kind: 'operator' } },
      { actor: { ...row.actor, id: `x${value}` } },
      { correlationId: `${row.correlationId}${value}` },
      { causationId: `x${value}` },
      { commandId: row.eventId },
      { data: { ...row.data, title: `x${value}` } },
      { data: { ...row.data, more: null } },
      { sourceAddress: `x${value}` },
      { revealed: { ...row.revealed, 'data.username': `x${value}` } },
    ];
    return { ...row, ...fields[field % fields.length] };
  }

  function changedRows(bundle: Contents, kind: string, place: Places) {
    const { file, heading } = rowsFileOf(bundle);
    const lines = linesOf(bundle[file]);
    const headings = heading === '' ? [] : lines.splice(0, 1);
    const change = changes[kind]?.(bundle, lines.filter(Boolean), place);
    if (!change) expect.fail(`No change is ${kind}`);
    const text = [...headings, ...change.lines].join('');
    return { contents: { ...bundle, [file]: Buffer.from(text) }, expected: change.expected };
  }
  const kinds = fc.constantFrom(...Object.keys(changes));
  const cases = fc.tuple(bundleNames, kinds, places);

  it(
    'is found, and reported by sequence and line, with or without a rewritten manifest',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          cases,
          fc.boolean(),
          async ([bundleName, kind, place], isDescribedAnew) => {
            const bundle = bundleOf(bundleName);
            const { contents, expected } = changedRows(bundle, kind, place);
            const faults = await faultsIn(isDescribedAnew ? describedAnew(contents) : contents);
            expect(faults.join('\n')).toMatch(expected);
          },
        ),
        reportedRuns(200, 4_000),
      );
    },
    LONG_MS,
  );

  it(
    'is found when another key signs everything again, including the proof',
    async () => {
      const forger = localSigner(auditKeyFrom(Buffer.alloc(32, 6).toString('base64url')));
      await fc.assert(
        fc.asyncProperty(cases, async ([bundleName, kind, place]) => {
          const bundle = bundleOf(bundleName);
          const contents = describedAnew(withOwnHashes(changedRows(bundle, kind, place).contents));
          const signature = await signManifest(forger, contents['manifest.json'] ?? Buffer.of());
          const faults = await faultsIn({ ...contents, 'manifest.sig': Buffer.from(signature) });
          expect(faults[0]).toMatch(/^manifest.sig is signed with the key /);
        }),
        reportedRuns(20, 400),
      );
    },
    LONG_MS,
  );

  /** The proof with the hashes that the rows have now. */
  function withOwnHashes(contents: Contents): Contents {
    const { parse, heading, file } = rowsFileOf(contents);
    const rows = linesOf(contents[file]).slice(heading === '' ? 0 : 1, -1);
    const leaves = new Map(
      rows.map((line) => {
        const row = parse(line) as AuditRow;
        return [row.sequence, leafOf(row).toString('base64')];
      }),
    );
    const proof = linesOf(contents['proof.ndjson'])
      .filter(Boolean)
      .map((line) => {
        const entry = JSON.parse(line);
        return `${JSON.stringify({ ...entry, hash: leaves.get(entry.row) ?? entry.hash })}\n`;
      });
    return { ...contents, 'proof.ndjson': Buffer.from(proof.join('')) };
  }
});

describe('an altered proof', () => {
  const changes: Record<string, (lines: string[], at: number, other: number) => string[]> = {
    removed: (lines, at) => lines.toSpliced(at, 1),
    doubled: (lines, at) => lines.toSpliced(at, 0, lines[at] ?? ''),
    swapped: (lines, at, other) => lines.with(at, lines[other] ?? '').with(other, lines[at] ?? ''),
    'given another hash': (lines, at, other) => {
      const { hash } = JSON.parse(lines[other] ?? '');
      return lines.with(at, `${JSON.stringify({ ...JSON.parse(lines[at] ?? ''), hash })}\n`);
    },
  };

  it(
    'is found, and reported as a fault of the proof',
    async () => {
      const kinds = fc.constantFrom(...Object.keys(changes));
      await fc.assert(
        fc.asyncProperty(bundleNames, kinds, places, async (bundleName, kind, place) => {
          const bundle = bundleOf(bundleName);
          const lines = linesOf(bundle['proof.ndjson']).filter(Boolean);
          const at = place[0] % lines.length;
          const other = (at + 1 + (place[1] % (lines.length - 1))) % lines.length;
          const text = changes[kind]?.(lines, at, other).join('') ?? '';
          const faults = await faultsIn({ ...bundle, 'proof.ndjson': Buffer.from(text) });
          expect(faults).toContain('proof.ndjson is not the file that was exported.');
          expect(faults.filter((fault) => /^Row .*(altered|missing|added)/.test(fault))).toEqual(
            [],
          );
        }),
        reportedRuns(40, 800),
      );
    },
    LONG_MS,
  );
});

describe('an altered manifest', () => {
  type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

  /** Where its values are: the keys that lead to each. */
  function pathsIn(value: Json): string[][] {
    if (typeof value !== 'object' || value === null) return [[]];
    const inner = Object.entries(value).flatMap(([key, member]) =>
      pathsIn(member).map((path) => [key, ...path]),
    );
    return [[], ...inner];
  }

  function changedAt(value: Json, [key, ...path]: string[], change: (old: Json) => Json): Json {
    if (key === undefined) return change(value);
    if (Array.isArray(value)) {
      return value.map((member, at) =>
        String(at) === key ? changedAt(member, path, change) : member,
      );
    }
    const object = value as { [key: string]: Json };
    return { ...object, [key]: changedAt(object[key] ?? null, path, change) };
  }

  function another(old: Json, by: number): Json {
    if (typeof old === 'number') return old + 1 + (by % 9);
    if (typeof old === 'string')
      return by % 2 === 0 ? `${old}0` : old.replace(/.|^$/, 'b').concat('b');
    if (Array.isArray(old)) return old.length > 0 ? old.toSpliced(by % old.length, 1) : ['x'];
    return typeof old === 'object' && old !== null ? { ...old, x: by } : { x: by };
  }

  it(
    'is found whichever of its fields is another',
    async () => {
      await fc.assert(
        fc.asyncProperty(bundleNames, places, async (bundleName, [place, by]) => {
          const bundle = bundleOf(bundleName);
          const manifest = JSON.parse(String(bundle['manifest.json']));
          const paths = pathsIn(manifest);
          const path = paths[place % paths.length] ?? [];
          const text = JSON.stringify(
            changedAt(manifest, path, (old) => another(old, by)),
            null,
            2,
          );
          const faults = await faultsIn({ ...bundle, 'manifest.json': Buffer.from(`${text}\n`) });
          expect(faults.join('\n')).toMatch(/manifest\.json was altered/);
        }),
        reportedRuns(100, 1_000),
      );
    },
    LONG_MS,
  );

  it(
    'is found when it is signed, but contradicts the files',
    async () => {
      await fc.assert(
        fc.asyncProperty(bundleNames, places, async (bundleName, [place, by]) => {
          const bundle = bundleOf(bundleName);
          const manifest = JSON.parse(String(bundle['manifest.json']));
          // The files do not contain these: they are as true as the signature.
          const isOwnWord = ([first]: string[]) =>
            first === undefined || first === 'filter' || first === 'ledger';
          const paths = pathsIn(manifest).filter((path) => !isOwnWord(path));
          const path = paths[place % paths.length] ?? [];
          const text = JSON.stringify(
            changedAt(manifest, path, (old) => another(old, by)),
            null,
            2,
          );
          const manifestBytes = Buffer.from(`${text}\n`);
          const signature = Buffer.from(await signManifest(sampleSigner, manifestBytes));
          const changed = { ...bundle, 'manifest.json': manifestBytes, 'manifest.sig': signature };
          expect(await faultsIn(changed)).not.toEqual([]);
        }),
        reportedRuns(50, 500),
      );
    },
    LONG_MS,
  );
});
