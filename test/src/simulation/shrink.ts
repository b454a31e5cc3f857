import { AssertionError } from 'node:assert';
import type { ClusterPlan } from './cluster-plan.ts';
import { ingredients, simulate, type SimulationOptions } from './simulation.ts';

/** The shortest duration that is tried. */
const durationMsMin = 60_000;

const simplerPlans: readonly Partial<ClusterPlan>[] = [
  { hasTables: false },
  { brokerCount: 1 },
  { proxyCount: 1 },
  { hasDaemon: false },
  { quotaBytes: undefined },
  { clockErrorMaxMs: 0 },
  { listingLagMs: 0 },
];

/** Returns the law that a run breaks; undefined when it breaks none. */
export async function violationOf(options: SimulationOptions): Promise<string | undefined> {
  try {
    await simulate(options);
    return undefined;
  } catch (error) {
    if (error instanceof AssertionError) return error.message;
    throw error;
  }
}

/**
 * Returns the simplest run found that still breaks a law: without the users, the faults and the
 * parts of the cluster that it does not need, and as short as it can be.
 *
 * @param onSimpler called with each run that is simpler than those before, and breaks a law
 */
export async function shrink(
  found: SimulationOptions,
  onSimpler: (options: SimulationOptions) => void = () => undefined,
): Promise<SimulationOptions> {
  let simplest = found;
  const attempt = async (simpler: SimulationOptions): Promise<boolean> => {
    if ((await violationOf(simpler)) === undefined) return false;
    simplest = simpler;
    onSimpler(simpler);
    return true;
  };
  for (const plan of simplerPlans) {
    await attempt({ ...simplest, plan: { ...simplest.plan, ...plan } });
  }
  for (const name of ingredients) {
    await attempt({ ...simplest, without: [...(simplest.without ?? []), name] });
  }
  while (simplest.durationMs / 2 >= durationMsMin) {
    if (!(await attempt({ ...simplest, durationMs: simplest.durationMs / 2 }))) break;
  }
  return simplest;
}
