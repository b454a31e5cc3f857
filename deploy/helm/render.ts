/**
 * Renders the Helm chart for users without Helm: plain manifests, and a Docker Compose file with
 * the same settings, command lines and limits.
 *
 *     npm run manifests [HELM]    writes deploy/kubernetes.yaml and deploy/compose.yaml
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';

const folder = import.meta.dirname;
/** The folder of the chart. */
export const chartFolder = join(folder, 'quire');
const tokenVolume = /^token-(.*)$/;

/** The part of a Kubernetes object that is read here. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly template?: { readonly spec: Pod } };
}

interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: string };
  readonly tcpSocket?: { readonly port: string };
}

/** A pod as the chart defines it, with one container. */
export interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: {
    readonly runAsNonRoot: boolean;
    readonly runAsUser: number;
    readonly runAsGroup: number;
  };
  readonly containers: readonly [
    {
      readonly image: string;
      readonly args: readonly string[];
      readonly env: readonly { readonly name: string; readonly value?: string }[];
      readonly ports: readonly [{ readonly containerPort: number }];
      readonly startupProbe: Probe;
      readonly readinessProbe: Probe;
      readonly livenessProbe: Probe;
      readonly resources: { readonly limits?: { readonly memory?: string } };
      readonly securityContext: { readonly readOnlyRootFilesystem: boolean };
      readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
    },
  ];
}

/** Renders the chart with the arguments of `helm template`. */
export function renderChart(helm: string, args: readonly string[] = []): string {
  return execFileSync(
    helm,
    ['template', 'quire', chartFolder, '--kube-version', '1.33.0', ...args],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 64 * 1024 * 1024,
    },
  );
}

/** The objects of a rendered chart, in its order. @throws Error when it is not YAML */
export function manifestsOf(rendered: string): readonly Manifest[] {
  return [...parseAllDocuments(rendered)].flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    const manifest = document.toJS() as Manifest | null;
    return manifest === null ? [] : [manifest];
  });
}

/** The plain manifests: the chart with its default values. */
export function renderManifests(helm: string): string {
  return `# Generated from deploy/helm/quire by npm run manifests. First run: kubectl create secret generic quire-admin --from-literal=token=…\n${renderChart(helm)}`;
}

/** The Compose file: the chart with one broker, each role a service. */
export function renderCompose(helm: string): string {
  const manifests = manifestsOf(renderChart(helm, ['--set', 'broker.replicas=1']));
  const pods = manifests.flatMap(({ metadata, spec }) =>
    spec?.template === undefined
      ? []
      : [{ role: metadata.name.replace('quire-', ''), pod: spec.template.spec }],
  );
  const configs = manifests
    .filter(({ kind }) => kind === 'ConfigMap')
    .map(({ metadata, data = {} }) => [metadata.name, { content: data['quire.properties'] }]);
  const principals = pods
    .flatMap(({ pod }) => pod.containers[0].volumeMounts)
    .flatMap(({ name }) => tokenVolume.exec(name)?.[1] ?? []);
  const secrets = [...new Set(principals)].map((name) => [
    `token-${name}`,
    { file: `./secrets/${name}` },
  ]);
  const compose = {
    name: 'quire',
    services: Object.fromEntries(pods.map(({ role, pod }) => [role, serviceOf(role, pod)])),
    configs: Object.fromEntries(configs),
    secrets: Object.fromEntries(secrets),
    volumes: { results: {}, ...Object.fromEntries(pods.map(({ role }) => [`${role}-temp`, {}])) },
  };
  const [image] = pods.map(({ pod }) => pod.containers[0].image);
  const head =
    `# Generated from deploy/helm/quire by npm run manifests. First run: docker build -t ${image} ., and a token in secrets/admin beside this file.\n` +
    '# The token must be readable by user 65532. To change settings without a restart, mount a directory at /etc/quire in place of the configs.\n';
  return head + stringify(compose, { lineWidth: 0, aliasDuplicateObjects: false });
}

function serviceOf(role: string, pod: Pod): object {
  const [container] = pod.containers;
  const { runAsUser, runAsGroup } = pod.securityContext;
  const pod0 = `quire-${role}-0`;
  const [{ containerPort: port }] = container.ports;
  const variables = container.env.flatMap(({ name, value }) =>
    value === undefined ? [] : [[name, value.replace('$(POD_NAME)', pod0)]],
  );
  const volumes = container.volumeMounts.flatMap(({ name, mountPath }) => {
    if (name === 'settings' || tokenVolume.test(name)) return [];
    return [`${name === 'temp' ? `${role}-temp` : name}:${mountPath}`];
  });
  const secrets = container.volumeMounts
    .filter(({ name }) => tokenVolume.test(name))
    .map(({ name, mountPath }) => ({ source: name, target: `${mountPath}/token` }));
  const { memory } = container.resources.limits ?? {};
  return {
    image: container.image,
    command: container.args,
    user: `${runAsUser}:${runAsGroup}`,
    environment: Object.fromEntries([
      ...variables,
      ['QUIRE_HEALTH_URL', `http://127.0.0.1:${port}/health`],
    ]),
    configs: [{ source: `quire-${role}`, target: '/etc/quire/quire.properties' }],
    secrets,
    volumes,
    // Clients connect to the proxy and the controller, as in the cluster.
    ...(role === 'broker' ? {} : { ports: [`127.0.0.1:${port}:${port}`] }),
    ...(role === 'broker'
      ? {
          networks: {
            default: { aliases: [`${pod0}.quire-broker-headless`, 'quire-broker-headless'] },
          },
        }
      : { depends_on: { broker: { condition: 'service_healthy' } } }),
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    ...(memory === undefined ? {} : { mem_limit: memory.toLowerCase().replace('i', '') }),
    stop_grace_period: `${pod.terminationGracePeriodSeconds}s`,
    restart: 'unless-stopped',
  };
}

if (import.meta.main) {
  const helm = process.argv[2] ?? 'helm';
  writeFileSync(join(folder, '../kubernetes.yaml'), renderManifests(helm));
  writeFileSync(join(folder, '../compose.yaml'), renderCompose(helm));
}
