import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { describeWithTool, helm } from '../testkit/toolchain.ts';
import { renderWith, type Values } from './chart.ts';

type Labels = Readonly<Record<string, string>>;

/** The parts of rendered objects that these tests read. */
interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Labels };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: Spec;
}

interface Spec {
  readonly replicas?: number;
  readonly template?: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
  /** A Service has the labels themselves. */
  readonly selector?: Selector & Labels;
  readonly podSelector?: Selector;
  readonly policyTypes?: readonly string[];
  readonly ingress?: readonly { readonly ports: readonly { readonly port: string }[] }[];
  readonly ports?: readonly {
    readonly name: string;
    readonly port: number;
    readonly targetPort: string;
  }[];
  readonly endpoints?: readonly {
    readonly port: string;
    readonly path: string;
    readonly authorization: { readonly credentials: { readonly name: string } };
  }[];
  readonly scaleTargetRef?: { readonly kind: string; readonly name: string };
  readonly maxUnavailable?: number;
}

interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string }[];
}

interface PodSpec {
  readonly affinity: {
    readonly podAntiAffinity: {
      readonly preferredDuringSchedulingIgnoredDuringExecution: readonly {
        readonly podAffinityTerm: {
          readonly topologyKey: string;
          readonly labelSelector: Selector;
        };
      }[];
    };
  };
  readonly containers: readonly [
    {
      readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
      readonly envFrom?: readonly { readonly secretRef: { readonly name: string } }[];
      readonly volumeMounts: readonly { readonly name: string }[];
    },
  ];
  readonly volumes: readonly {
    readonly name: string;
    readonly secret?: { readonly secretName: string };
    readonly configMap?: { readonly name: string };
  }[];
}

const monitored: Values = {
  'monitoring.serviceMonitor': true,
  'principals.analyst.role': 'query',
  'principals.analyst.existingSecret': 'quire-analyst',
};
const cases: Readonly<Record<string, Values>> = {
  files: monitored,
  'a bucket, with everything': {
    ...monitored,
    'store.protocol': 's3',
    'store.uri': 's3://results/quire',
    'store.existingSecret': 'bucket-keys',
    'broker.autoscaling.enabled': true,
    'tables.enabled': true,
    'cleaner.enabled': true,
  },
};

describeWithTool(helm, 'the objects of the Helm chart', (program) => {
  describe.each(Object.entries(cases))('with results in %s', (title, values) => {
    const objects = [...parseAllDocuments(renderWith(program, values))].flatMap((document) => {
      const object = document.toJS() as Rendered | null;
      return object === null ? [] : [object];
    });
    const ofKind = (...kinds: readonly string[]): readonly Rendered[] =>
      objects.filter(({ kind }) => kinds.includes(kind));
    const workloads = ofKind('Deployment', 'StatefulSet').map(({ kind, metadata, spec }) => {
      if (spec.template === undefined) throw new Error(`${metadata.name} has no pods.`);
      return {
        kind,
        name: metadata.name,
        labels: spec.template.metadata.labels,
        pod: spec.template.spec,
      };
    });
    const roles = workloads.map(({ name }) => name).toSorted();
    const selectedBy = (labels: Labels): readonly string[] =>
      workloads.filter((workload) => isSubset(labels, workload.labels)).map(({ name }) => name);

    test(`with results in ${title}, each Service, NetworkPolicy and PodDisruptionBudget selects the pods of its role`, () => {
      const services = ofKind('Service').filter(({ metadata }) => !/headless/.test(metadata.name));
      for (const objectsOfRoles of [services, ofKind('NetworkPolicy')]) {
        expect(objectsOfRoles.map(({ metadata }) => metadata.name).toSorted()).toEqual(roles);
      }
      const labelsOf = ({ spec }: Rendered): Labels =>
        spec.podSelector?.matchLabels ?? spec.selector?.matchLabels ?? spec.selector ?? {};
      for (const object of ofKind('Service', 'NetworkPolicy', 'PodDisruptionBudget')) {
        const { name } = object.metadata;
        const role = name.replace(/-headless$/, '');
        expect([object.kind, name, selectedBy(labelsOf(object))]).toEqual([
          object.kind,
          name,
          [role],
        ]);
      }
      const budgets = ofKind('PodDisruptionBudget');
      expect(budgets.map(({ metadata, spec }) => [metadata.name, spec.maxUnavailable])).toEqual([
        ['quire-broker', 1],
        ['quire-proxy', 1],
      ]);
    });

    test(`with results in ${title}, ports have names that their containers give them`, () => {
      const portOf = (name: string): number | undefined =>
        workloads
          .find((each) => each.name === name)
          ?.pod.containers[0].ports.find((port) => port.name === 'http')?.containerPort;
      for (const { metadata, spec } of ofKind('Service')) {
        const port = portOf(metadata.name.replace(/-headless$/, ''));
        expect(spec.ports).toEqual([{ name: 'http', port, targetPort: 'http' }]);
      }
      for (const { spec } of ofKind('NetworkPolicy')) {
        expect([spec.policyTypes, spec.ingress?.map(({ ports }) => ports)]).toEqual([
          ['Ingress'],
          [[{ port: 'http' }]],
        ]);
      }
    });

    test(`with results in ${title}, pods of a role keep away from each other's nodes`, () => {
      for (const { name, pod } of workloads) {
        const terms = pod.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution;
        const found = terms.map(({ podAffinityTerm: { topologyKey, labelSelector } }) => [
          topologyKey,
          selectedBy(labelSelector.matchLabels ?? {}),
        ]);
        expect(found).toEqual([['kubernetes.io/hostname', [name]]]);
      }
    });

    test(`with results in ${title}, Prometheus scrapes each role once, with the token of the operator`, () => {
      const [monitor] = ofKind('ServiceMonitor');
      const { matchLabels = {}, matchExpressions = [] } = monitor?.spec.selector ?? {};
      expect(matchExpressions.map(({ operator }) => operator)).toEqual(['DoesNotExist']);
      const excluded = matchExpressions.map(({ key }) => key);
      const scraped = ofKind('Service').filter(
        ({ metadata: { labels } }) =>
          isSubset(matchLabels, labels) && excluded.every((key) => !(key in labels)),
      );
      expect(scraped.map(({ metadata }) => metadata.name).toSorted()).toEqual(roles);
      expect(monitor?.spec.endpoints).toMatchObject([
        { port: 'http', path: '/metrics', authorization: { credentials: { name: 'quire-admin' } } },
      ]);
    });

    test(`with results in ${title}, pods mount only volumes that they have, of Secrets that values name and ConfigMaps that are rendered`, () => {
      const configs = new Set(ofKind('ConfigMap').map(({ metadata }) => metadata.name));
      const claimed = new Set(['results']);
      for (const { name, pod } of workloads) {
        const { volumes, containers } = pod;
        const own = new Set(volumes.map((volume) => volume.name));
        const mounts = containers[0].volumeMounts.map((mount) => mount.name);
        expect([name, mounts.filter((mount) => !own.has(mount) && !claimed.has(mount))]).toEqual([
          name,
          [],
        ]);
        const secrets = volumes.flatMap(({ secret }) => secret?.secretName ?? []);
        expect(secrets.toSorted()).toEqual(['quire-admin', 'quire-analyst']);
        const maps = volumes.flatMap(({ configMap }) => configMap?.name ?? []);
        expect(maps.filter((each) => !configs.has(each))).toEqual([]);
        const keys = containers[0].envFrom?.map(({ secretRef }) => secretRef.name) ?? [];
        const needsKeys = 'store.existingSecret' in values && /broker|cleaner/.test(name);
        expect([name, keys]).toEqual([name, needsKeys ? ['bucket-keys'] : []]);
      }
    });

    test(`with results in ${title}, the addresses of brokers in the settings are names of Services, or of pods behind one`, () => {
      const services = new Set(ofKind('Service').map(({ metadata }) => metadata.name));
      const settings = ofKind('ConfigMap').map(({ data }) => data?.['quire.properties'] ?? '');
      const hosts = settings.flatMap((text) =>
        Array.from(text.matchAll(/https?:\/\/([\w.-]+)/g), ([, host = '']) => host),
      );
      expect(hosts.length).toBeGreaterThan(1);
      const unknown = hosts.filter((host) => !services.has(host.split('.').at(-1) ?? ''));
      expect(unknown).toEqual([]);
    });
  });

  test('the autoscaler of brokers scales a Deployment whose number of pods nothing else sets, by a metric of brokers', () => {
    const rendered = renderWith(program, cases['a bucket, with everything']);
    const objects = [...parseAllDocuments(rendered)].map((each) => each.toJS() as Rendered);
    const scaler = objects.find(({ kind }) => kind === 'HorizontalPodAutoscaler');
    const { kind, name } = scaler?.spec.scaleTargetRef ?? {};
    const target = objects.find((each) => each.kind === kind && each.metadata.name === name);
    expect([kind, target?.spec.replicas]).toEqual(['Deployment', undefined]);
    expect(rendered).toContain('metric: { name: quire_queries_running }');
  });
});

function isSubset(labels: Labels, of: Labels): boolean {
  const entries = Object.entries(labels);
  return entries.length > 0 && entries.every(([key, value]) => of[key] === value);
}
