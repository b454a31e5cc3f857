import { expect } from 'vitest';

/** A principal that works beside the one that is measured. */
export interface Neighbour<World> {
  readonly name: string;
  /** Called before each step of the measurement, the first one included. */
  readonly act: (world: World, step: number) => Promise<void>;
}

/** A fairness measurement of one resource. */
export interface FairTrial<World extends AsyncDisposable> {
  /** Opens the service that both principals use; each neighbour gets a new one. */
  readonly open: () => Promise<World>;
  /**
   * Calls as the measured principal, with `act` before each step, and returns the cost of each
   * call: in slots, turns, rounds or requests, never in seconds, so that the figures are the same
   * in every run.
   */
  readonly measure: (
    world: World,
    act: (step: number) => Promise<void>,
  ) => Promise<readonly number[]>;
  /** A neighbour that requests as much as the measured principal. */
  readonly behaved: Neighbour<World>;
  /** A neighbour with the worst behaviour. */
  readonly worst: Neighbour<World>;
}

/** The largest allowed ratio of a call's cost with the worst neighbour to its cost alone. */
const factorMax = 2;

/**
 * Runs the trial beside both neighbours, and holds the 99th percentile beside the worst one to
 * twice that beside the well-behaved one.
 */
export async function expectFair<World extends AsyncDisposable>(
  trial: FairTrial<World>,
): Promise<void> {
  const behaved = await measureBeside(trial, trial.behaved);
  const worst = await measureBeside(trial, trial.worst);
  const [cost, limit] = [percentile99(worst), factorMax * percentile99(behaved)];
  // A failure shows all figures.
  expect({ behaved, worst, isFair: cost <= limit }).toEqual({ behaved, worst, isFair: true });
}

async function measureBeside<World extends AsyncDisposable>(
  trial: FairTrial<World>,
  neighbour: Neighbour<World>,
): Promise<readonly number[]> {
  await using world = await trial.open();
  return await trial.measure(world, (step) => neighbour.act(world, step));
}

/** The nearest rank: of fewer than a hundred values the largest. */
function percentile99(values: readonly number[]): number {
  const ordered = values.toSorted((left, right) => left - right);
  const value = ordered[Math.ceil(ordered.length * 0.99) - 1];
  if (value === undefined) throw new Error('The trial measured nothing.');
  return value;
}
