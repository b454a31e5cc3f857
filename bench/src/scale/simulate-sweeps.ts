import { firstDelayMs, nextDelayMs, type ScheduleOptions } from '@quire/cleaner';
import { systemClock } from '@quire/core';
import { SeededRandom } from '@quire/core/testing';

export interface SweepScene {
  readonly brokerCount: number;
  /** The results of each broker at any time. */
  readonly resultCount: number;
  readonly periodMs: number;
  /** The time that a provider takes for one call of a listing; calls are sequential. */
  readonly callMs: number;
}

export interface ListingRates {
  /** The average calls per second of all brokers together. */
  readonly mean: number;
  /** The busiest second of the first hour, when all brokers have started at the same time. */
  readonly busiestAtFirst: number;
  /** The busiest second of later hours. */
  readonly busiestLater: number;
}

/** Two objects per result; a provider lists a thousand per call. */
const objectsPerResult = 2;
const objectsPerCall = 1_000;
const hours = 12;

/**
 * Simulates the schedules of all cleaners, unchanged, in virtual time, and counts the calls to one
 * bucket in each second.
 */
export function simulateSweeps({
  brokerCount,
  resultCount,
  periodMs,
  callMs,
}: SweepScene): ListingRates {
  const callsBySecond = new Uint32Array(hours * 3_600);
  const random = new SeededRandom(1);
  const schedule: ScheduleOptions = { periodMs, initialDelayMs: 'random' };
  const callsPerSweep = Math.max(1, Math.ceil((resultCount * objectsPerResult) / objectsPerCall));
  for (let broker = 0; broker < brokerCount; broker += 1) {
    let startMs = firstDelayMs(schedule, random);
    while (startMs < hours * 3_600_000) {
      for (let call = 0; call < callsPerSweep; call += 1) {
        const second = Math.floor((startMs + call * callMs) / 1_000);
        if (second < callsBySecond.length) callsBySecond[second] = (callsBySecond[second] ?? 0) + 1;
      }
      const elapsedMs = callsPerSweep * callMs;
      startMs += elapsedMs + nextDelayMs(schedule, elapsedMs, systemClock, random);
    }
  }
  const sum = callsBySecond.reduce((total, calls) => total + calls, 0);
  return {
    mean: sum / callsBySecond.length,
    busiestAtFirst: largest(callsBySecond.subarray(0, 3_600)),
    busiestLater: largest(callsBySecond.subarray(3_600)),
  };
}

function largest(counts: Uint32Array): number {
  return counts.reduce((most, count) => Math.max(most, count), 0);
}
